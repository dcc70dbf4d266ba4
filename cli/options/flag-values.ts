// Commander prints the flag and its value before the messages of these parsers.
import { InvalidArgumentError } from 'commander';
import { didYouMean, MAX_DURATION, unsetVariable } from '../../drive/configuration/option-readers.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import type { Selection } from '../../reference/choices/table.ts';

/** Parses a port; 0 selects any free one. */
function parsePort(text: string): number {
  return parseInteger(text, 0, 65_535, 'It takes a port number, 0 (any free one) to 65535.');
}

function parseAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port = ''] = /^(?:(\[[\da-f:]+\]|[^:\s]+):)?(\d+)$/i.exec(text) ?? [];
  if (port === '') throw new InvalidArgumentError('It takes HOST:PORT, or a port of 127.0.0.1.');
  return { host: host.replace(/^\[|\]$/g, ''), port: parsePort(port) };
}

/** Maximum number of judging threads, each of which holds all requirements. */
const MAX_JOBS = 64;
const MAX_PARTS = 10_000;
/** About 270 years; a `Date` cannot exceed a hundred million days. */
const MAX_DAYS = 100_000;

function parseSeconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= MAX_DURATION) return value;
  throw new InvalidArgumentError(`It takes a duration in seconds, such as 0.5, up to ${MAX_DURATION}.`);
}

/** Reads a key from a variable. Throws ConfigurationError if it is unset or empty. */
export function keyFromVariable(name: string, flag = '--api-key-env'): string {
  const key = process.env[name]?.trim();
  if (key) return key;
  throw unsetVariable({ where: flag, value: name });
}

function collectRepeated(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text];
}

function parseText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty. Give it a value, or leave the option out.');
}

/** Throws InvalidArgumentError unless the text is a JSON pointer: one without its leading slash would match nothing. */
function collectPointers(text: string, previous: readonly string[] = []): readonly string[] {
  if (/^\/(?:[^~]|~[01])*$/s.test(text)) return collectRepeated(text, previous);
  throw new InvalidArgumentError(
    'It takes a JSON pointer, such as /metadata/id, * for any member, ~0 for ~, ~1 for /.',
  );
}

/** Accepts only digits, because `Number` would also accept `0x10`, `1e3` and an empty text. */
function parseInteger(text: string, least: number, most: number, message: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(message);
}

function parsePace(text: string): number {
  if (text === 'instant') return Number.POSITIVE_INFINITY;
  if (text === 'recorded') return 1;
  const times = Number(/^x(\d+(?:\.\d+)?)$/.exec(text)?.[1]);
  if (times > 0) return times;
  throw new InvalidArgumentError('It takes recorded, instant, or xN such as x10.');
}

/** Parsers by the names that `cli/commands.json` uses. */
export const PARSERS = {
  port: parsePort,
  address: parseAddress,
  count: (text: string) => parseInteger(text, 0, Number.MAX_SAFE_INTEGER, 'It takes a whole number.'),
  jobs: (text: string) => parseInteger(text, 1, MAX_JOBS, `It takes a whole number, 1 to ${MAX_JOBS}.`),
  parts: (text: string) => parseInteger(text, 1, MAX_PARTS, `It takes a whole number, 1 to ${MAX_PARTS}.`),
  days: (text: string) =>
    parseInteger(text, 0, MAX_DAYS, `It takes a whole number of days, up to ${MAX_DAYS}.`),
  seconds: parseSeconds,
  pace: parsePace,
  text: parseText,
  repeated: collectRepeated,
  texts: (text: string, previous?: readonly string[]) => collectRepeated(parseText(text), previous),
  pointers: collectPointers,
};

/** Separates `ID=ALTERNATIVE` pairs. Alternatives may contain commas; ids contain a dot. */
const PAIR_SEPARATOR = /,(?=[a-z0-9-]+(?:\.[a-z0-9-]+)+=)/;

/**
 * Reads `contrary`, `random:SEED`, or `ID=ALTERNATIVE` pairs separated by commas. Throws UsageError with the
 * nearest name for an unknown choice or alternative.
 */
export async function readChoices(text: string): Promise<Selection> {
  const { contrarySelection, namedSelection, randomSelection, UnknownAlternative } = await import(
    '../../reference/choices/table.ts'
  );
  if (text === 'contrary') return contrarySelection();
  const seed = /^random:(\d+)$/.exec(text)?.[1];
  if (seed !== undefined) return randomSelection(Number(seed));
  try {
    return namedSelection(text.split(PAIR_SEPARATOR).map(parsePair));
  } catch (error) {
    if (!(error instanceof UnknownAlternative)) throw error;
    const { message, given, known } = error;
    const hint = known.length > 12 ? LIST_HINT : `It has: ${known.map((name) => `'${name}'`).join(', ')}.`;
    throw new UsageError(`${message}${didYouMean(given, known)}. ${hint}`);
  }
}

function parsePair(text: string): readonly [string, string] {
  const [, id, alternative] = /^([^=]+)=(.+)$/s.exec(text.trim()) ?? [];
  if (id !== undefined && alternative !== undefined) return [id, alternative];
  throw new UsageError(
    `--choices contains ${JSON.stringify(text)}; it takes contrary, random:SEED or ID=ALTERNATIVE. ${LIST_HINT}`,
  );
}

const LIST_HINT = 'Run assay serve --choices list to see all choices.';
