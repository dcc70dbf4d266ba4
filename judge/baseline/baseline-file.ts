import type { Json } from '../../exchange/http/body.ts';
import { parseJsonFile } from '../../exchange/json-file.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { plural } from '../../schemas/message-text.ts';
import { LASTING_CAUSES } from '../verdict/cause.ts';
import type { BaselineEntry } from './baseline-entry.ts';

/** Placeholder for the reason of a new entry; `readBaseline` rejects it by default. */
export const MISSING_REASON = 'FILL IN: why is this accepted?';

const BASELINE_MEMBERS = ['format', 'known', 'choices'];
const ENTRY_FIELDS = ['id', 'signatures', 'undecided', 'intermittent', 'reason', 'link', 'expires'];

export interface Baseline {
  readonly format: 1;
  /** Accepted failures and undecided MUSTs; their ids are distinct. */
  readonly known: readonly BaselineEntry[];
  /** The only alternative taken so far, by id of each choice on which most services agree. Default: none. */
  readonly choices?: Readonly<Record<string, string>>;
}

export class BaselineError extends Error {
  override readonly name = 'BaselineError';
}

/** With `reasons` `open`, entries may still have the placeholder. Throws BaselineError. */
export function readBaseline(text: string, name: string, reasons: 'given' | 'open' = 'given'): Baseline {
  const value = parseJsonFile(text, name, BaselineError);
  if (!isJsonObject(value) || value['format'] !== 1 || !Array.isArray(value['known'])) {
    throw new BaselineError(`${name} is not a baseline; the expected form is {"format": 1, "known": [...]}.`);
  }
  const unknownMember = Object.keys(value).find((key) => !BASELINE_MEMBERS.includes(key));
  if (unknownMember !== undefined)
    throw new BaselineError(
      `${name} has ${JSON.stringify(unknownMember)}; it takes ${BASELINE_MEMBERS.join(', ')}.`,
    );
  const known = value['known'].map((entry, index) => readEntry(entry, `${name}, entry ${index + 1}`));
  const withoutReason = reasons === 'given' ? known.filter(({ reason }) => reason === MISSING_REASON) : [];
  const [first] = withoutReason;
  if (first !== undefined) {
    const { length } = withoutReason;
    const entries = `${plural(length, 'entry', 'entries')} ${length === 1 ? 'has' : 'have'} no reason`;
    const which = length === 1 ? first.id : `the first is ${first.id}`;
    throw new BaselineError(
      `${name}: ${entries} (${which}). Say why each failure is accepted, or write the file again with ` +
        `--baseline-write ${shellQuote(name)} --baseline-reason TEXT.`,
    );
  }
  const duplicate = known.find(({ id }, index) => known.findIndex((other) => other.id === id) < index);
  if (duplicate !== undefined)
    throw new BaselineError(`${name} lists ${duplicate.id} twice; join its signatures in one entry.`);
  const { choices } = value;
  if (choices === undefined) return { format: 1, known };
  if (!isJsonObject(choices) || !isStringList(Object.values(choices)))
    throw new BaselineError(`${name}: choices must be an object of strings: the alternative of each choice.`);
  // as: the values are strings
  return { format: 1, known, choices: choices as Readonly<Record<string, string>> };
}

/** A missing or blank reason becomes the placeholder, so that `--baseline-write` fills in all of them. */
function readEntry(value: Json, where: string): BaselineEntry {
  if (!isJsonObject(value)) throw new BaselineError(`${where} must be a JSON object.`);
  const unknownField = Object.keys(value).find((key) => !ENTRY_FIELDS.includes(key));
  if (unknownField !== undefined)
    throw new BaselineError(
      `${where} has ${JSON.stringify(unknownField)}; it takes ${ENTRY_FIELDS.join(', ')}.`,
    );
  const {
    id,
    signatures = [],
    undecided,
    intermittent,
    reason = MISSING_REASON,
    link = null,
    expires = null,
  } = value;
  const fieldError = (field: string, expected: string) =>
    new BaselineError(`${where}: ${field} must be ${expected}.`);
  if (typeof id !== 'string' || id === '') throw fieldError('id', 'the id of a requirement');
  const cause = LASTING_CAUSES.find((kind) => kind === undecided);
  if (undecided !== undefined && cause === undefined)
    throw fieldError('undecided', `one of ${LASTING_CAUSES.join(', ')}`);
  if (!isStringList(signatures) || (signatures.length === 0) !== (cause !== undefined))
    throw fieldError('signatures', 'a list of one signature or more; an entry with undecided has none');
  if (intermittent !== undefined && (intermittent !== true || cause !== undefined))
    throw fieldError('intermittent', 'true, or absent; an entry with undecided has none');
  if (typeof reason !== 'string') throw fieldError('reason', 'a text that says why the entry is accepted');
  if (link !== null && typeof link !== 'string') throw fieldError('link', 'a string or null');
  if (expires !== null && !isDay(expires)) throw fieldError('expires', 'a day such as 2027-01-31, or null');
  return {
    id,
    signatures,
    ...(cause !== undefined && { undecided: cause }),
    ...(intermittent === true && { intermittent }),
    reason: reason.trim() === '' ? MISSING_REASON : reason,
    link,
    expires,
  };
}

function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const time = Date.parse(value);
  // `Date.parse` takes 2027-02-30 for the second of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
