import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isFile, readRegularFile } from '../../exchange/regular-file.ts';
import { writeNamedFile } from '../../exchange/replace-file.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import {
  applyBaseline,
  type BaselineOutcome,
  type BaselineUse,
  CHANCE_REASON,
  makeJudgedSideFilter,
} from '../../judge/baseline/baseline.ts';
import { isExpired } from '../../judge/baseline/baseline-entry.ts';
import {
  type Baseline,
  BaselineError,
  MISSING_REASON,
  readBaseline,
} from '../../judge/baseline/baseline-file.ts';
import { makeBaseline } from '../../judge/baseline/make-baseline.ts';
import { undecidedMusts } from '../../judge/verdict/gate.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { UsageError } from '../setup/usage-error.ts';
import { describeWritten, NOT_WRITTEN, type WrittenBaseline } from './written-baseline.ts';

/** How many days an unreviewed entry holds: one of `assay init`, or a new one of a file that had expired entries. */
export const UNREVIEWED_DAYS = 90;

const DECIDED_VERDICTS: ReadonlySet<string> = new Set(['pass', 'fail', 'warn']);

export interface KnownFailures {
  /** The entries to apply; null if no existing file was named. */
  readonly baseline: Baseline | null;
  /** The file from which `baseline` was read; null or absent if there is none. */
  readonly path?: string | null;
  /** The file to write, and the reason and last day (YYYY-MM-DD) of its new entries; null to write none. */
  readonly write: { readonly path: string; readonly reason: string; readonly expires?: string | null } | null;
}

export interface BaselineOutput {
  /** File to write; an existing one is extended. Default: none. */
  readonly baselineWrite?: string | undefined;
  /** Reason of new entries. Default: a placeholder that a person replaces. Requires `baselineWrite`. */
  readonly baselineReason?: string | undefined;
  /** Last day on which new entries hold, as YYYY-MM-DD. Default: none, or 90 days ahead if entries have expired. */
  readonly baselineExpires?: string | undefined;
}

/** Throws BaselineError, and UsageError for a reason without a file, or a file whose entries would be lost. */
export function readKnownFailures(
  path: string | null,
  { baselineWrite, baselineReason, baselineExpires }: BaselineOutput = {},
): KnownFailures {
  if (baselineReason !== undefined && baselineWrite === undefined)
    throw new UsageError('--baseline-reason applies only to new entries. Also give --baseline-write FILE.');
  const reason = baselineReason?.trim() || MISSING_REASON;
  const write =
    baselineWrite === undefined ? null : { path: baselineWrite, reason, expires: baselineExpires ?? null };
  // The baseline to read need not exist yet if it is also the file to write.
  const isNew = path !== null && write !== null && !existsSync(path) && resolve(path) === resolve(write.path);
  if (isNew) return { baseline: null, write };
  const existingPath = path ?? (write !== null && isFile(write.path) ? write.path : null);
  if (existingPath === null) return { baseline: null, path, write };
  const isExtended = write !== null && realPathOf(write.path) === realPathOf(existingPath);
  if (write !== null && !isExtended && isFile(write.path) && statSync(write.path).size > 0)
    throw new UsageError(
      `--baseline-write ${write.path} would lose the entries of that file, because --baseline is ${existingPath}. Also give --baseline ${shellQuote(write.path)} to extend it, or name a new file.`,
    );
  const baseline = readBaseline(readBaselineText(existingPath), existingPath, isExtended ? 'open' : 'given');
  return { baseline, path: existingPath, write };
}

/** The date after `days` days, as `2027-01-31` in UTC, so that entries expire at the same time on all machines. */
export function dayAfter(days: number): string {
  return new Date(Date.now() + days * 24 * 3_600_000).toISOString().slice(0, 10);
}

/** Applies the baseline. A new one is written and applied at once, so that the next run gets the same verdict. */
export function applyKnownFailures(
  judgement: Judgement,
  known: KnownFailures,
  use: Omit<BaselineUse, 'today'>,
): BaselineOutcome & { readonly written: WrittenBaseline | null } {
  const { write } = known;
  const today = dayAfter(0);
  const { previous, expired } = splitEntries(judgement, known, today);
  let newBaseline: Baseline | null = null;
  const hasDecidedVerdict = judgement.requirements.some(({ verdict }) => DECIDED_VERDICTS.has(verdict));
  if (write !== null && hasDecidedVerdict) {
    // If entries have expired, all new ones expire too, so that someone reviews those in their place again.
    const expires = write.expires ?? (expired.length > 0 ? dayAfter(UNREVIEWED_DAYS) : null);
    const baselineWithoutLinks = makeBaseline(judgement, previous, write.reason, { ...use, expires });
    newBaseline = withLinksOf(expired, baselineWithoutLinks);
    // The file is indented, because people edit and review it.
    writeNamedFile(write.path, `${JSON.stringify(newBaseline, null, 2)}\n`);
  }
  const baseline = newBaseline ?? known.baseline;
  const notWritten = write && { path: write.path, ...NOT_WRITTEN };
  if (baseline === null) return { judgement, problems: [], written: notWritten };
  const outcome = applyBaseline(judgement, baseline, { today, ...use });
  if (write === null || newBaseline === null) return { ...outcome, written: notWritten };
  const { requirements } = outcome.judgement;
  const listedIds = new Set(baseline.known.map(({ id }) => id));
  const byChance = requirements.filter((requirement) => requirement.baseline === CHANCE_REASON);
  const left = [...undecidedMusts(requirements), ...byChance]
    .filter(({ id }) => !listedIds.has(id))
    .map(({ id, cause }) => ({ id, kind: cause?.kind ?? null }));
  const facts = describeWritten(newBaseline, previous, outcome.judgement);
  return { ...outcome, written: { path: write.path, ...facts, left, expired: expired.map(({ id }) => id) } };
}

/** Gives new entries the links of the expired entries that they replace. */
function withLinksOf(expired: Baseline['known'], baseline: Baseline): Baseline {
  const links = new Map(expired.map(({ id, link }) => [id, link]));
  const known = baseline.known.map((entry) => ({
    ...entry,
    link: entry.link ?? links.get(entry.id) ?? null,
  }));
  return { ...baseline, known };
}

function splitEntries(judgement: Judgement, { baseline, write, path = null }: KnownFailures, today: string) {
  const isOfSide = makeJudgedSideFilter(judgement);
  const isExpiredHere = (entry: Baseline['known'][number]) => isOfSide(entry) && isExpired(entry, today);
  // Entries of the other side (service or client) stay in their own file.
  const isSameFile = write === null || path === null || realPathOf(write.path) === realPathOf(path);
  const { known = [] } = baseline ?? {};
  const keptEntries = known.filter((entry) => (isSameFile || isOfSide(entry)) && !isExpiredHere(entry));
  return { previous: baseline && { ...baseline, known: keptEntries }, expired: known.filter(isExpiredHere) };
}

function readBaselineText(path: string): string {
  if (!existsSync(path))
    throw new BaselineError(
      `The baseline ${path} does not exist. Write it with --baseline-write ${shellQuote(path)} --baseline-reason "why these are accepted".`,
    );
  if (statSync(path).isDirectory())
    throw new BaselineError(`${path} is a directory. --baseline takes a file: name the baseline in it.`);
  return readRegularFile(path);
}

function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}
