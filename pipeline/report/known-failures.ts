import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import {
  applyBaseline,
  type Baseline,
  BaselineError,
  type BaselineOutcome,
  type BaselineUse,
  MISSING_REASON,
  makeBaseline,
  readBaseline,
} from '../../judge/verdict/baseline.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import type { Report } from '../../reports/report.ts';
import { UsageError } from '../usage-error.ts';

/** The baseline that a command was given, where it is to write a new one, and the report to compare with. */
export interface KnownFailures {
  readonly baseline: Baseline | null;
  readonly write: { readonly path: string; readonly reason: string } | null;
  /** Absent where nothing is compared. */
  readonly earlier?: Report | null;
}

/** Where a command writes a baseline, and the reason of its new entries; without one, a person fills it in. */
export interface BaselineOutput {
  readonly baselineWrite?: string | undefined;
  readonly baselineReason?: string | undefined;
}

/** What became of a baseline that was to be written: how many failures it lists, and how many of them have no reason yet. */
export interface WrittenBaseline {
  readonly path: string;
  /** False where no requirement was judged: no file is written then, because its empty list would read as "no known failures". */
  readonly isWritten: boolean;
  readonly failures: number;
  readonly unfilled: number;
}

/**
 * Reads the baseline at once, so that a bad one is reported before anything is driven. Throws BaselineError, and UsageError for a
 * reason without a file to write it to.
 */
export function readKnownFailures(
  path: string | null,
  { baselineWrite, baselineReason }: BaselineOutput = {},
): KnownFailures {
  if (baselineReason !== undefined && baselineWrite === undefined)
    throw new UsageError('--baseline-reason is the reason of new entries: give --baseline-write FILE, too.');
  const baseline = path === null ? null : readBaseline(textOf(path), path);
  const reason = baselineReason?.trim() || MISSING_REASON;
  return { baseline, write: baselineWrite === undefined ? null : { path: baselineWrite, reason } };
}

/**
 * Lays the baseline over a judgement, of a run of the suite or of other traffic, and writes the new one where it was asked for.
 */
export function applyKnownFailures(
  judgement: Judgement,
  { baseline, write }: KnownFailures,
  { isRun }: Pick<BaselineUse, 'isRun'>,
): BaselineOutcome & { readonly written: WrittenBaseline | null } {
  const written = write === null ? null : writeBaseline(write, judgement, baseline);
  if (baseline === null) return { judgement, problems: [], written };
  // The date decides whether an entry has expired; it is that of UTC, so that all machines of a CI agree.
  const today = new Date().toISOString().slice(0, 10);
  return { ...applyBaseline(judgement, baseline, { today, isRun }), written };
}

/** Writes the file with two spaces of indentation, because people edit and review it. */
function writeBaseline(
  { path, reason: given }: NonNullable<KnownFailures['write']>,
  judgement: Judgement,
  known: Baseline | null,
): WrittenBaseline {
  if (!judgement.requirements.some(({ verdict }) => JUDGED.has(verdict)))
    return { path, isWritten: false, failures: 0, unfilled: 0 };
  const made = makeBaseline(judgement, known, given);
  writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`);
  const unfilled = made.known.filter(({ reason }) => reason === MISSING_REASON).length;
  return { path, isWritten: true, failures: made.known.length, unfilled };
}

/** Verdicts that evidence led to; all others mean that nothing is known of the requirement. */
const JUDGED: ReadonlySet<string> = new Set(['pass', 'fail', 'warn']);

/** A file that is not there is written first; reading a folder fails without a word of which. */
function textOf(path: string): string {
  if (!existsSync(path))
    throw new BaselineError(
      `--baseline ${path}: the file does not exist. Write it with --baseline-write ${path} --baseline-reason "why these are accepted" in place of --baseline.`,
    );
  if (statSync(path).isDirectory())
    throw new BaselineError(`${path} is a directory; --baseline takes the file of a baseline.`);
  return readFileSync(path, 'utf8');
}
