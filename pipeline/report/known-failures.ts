import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { causeParts } from '../../judge/acceptance/ids.ts';
import {
  applyBaseline,
  type Baseline,
  BaselineError,
  type BaselineOutcome,
  type BaselineUse,
  MISSING_REASON,
  makeBaseline,
  readBaseline,
} from '../../judge/verdict/baseline/baseline.ts';
import { ofJudgedSide } from '../../judge/verdict/baseline/kept-entries.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import { countKnownFailures, isConsequence } from '../../judge/verdict/failure-count.ts';
import { acceptedMusts, undecidedMusts } from '../../judge/verdict/gate.ts';
import type { Judgement, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import type { Report } from '../../reports/report.ts';
import { UsageError } from '../setup/usage-error.ts';

/** The baseline that a command was given, where it is to write a new one, and the report to compare with. */
export interface KnownFailures {
  readonly baseline: Baseline | null;
  /** The file of the baseline; absent where none was read. */
  readonly path?: string | null;
  readonly write: { readonly path: string; readonly reason: string } | null;
  /** Absent where nothing is compared. */
  readonly earlier?: Report | null;
}

/** Where a command writes a baseline, and the reason of its new entries; without one, a person fills it in. */
export interface BaselineOutput {
  readonly baselineWrite?: string | undefined;
  readonly baselineReason?: string | undefined;
}

/** Entries of a new file by what became of those of the earlier one. */
export interface BaselineChanges {
  readonly kept: number;
  readonly added: number;
  /** Entries that stay and accept other findings, or another reason for a missing decision. */
  readonly changed: readonly string[];
  /** Entries that the new file lacks. */
  readonly removed: readonly string[];
}

/** The result of writing a baseline. */
export interface WrittenBaseline extends EntriesByUse {
  readonly path: string;
  /** False where no requirement was judged: no file is written then, because its empty list would read as "no known failures". */
  readonly isWritten: boolean;
  readonly entries: number;
  /** How they differ from the entries of the earlier file; null where there was none. */
  readonly changes: BaselineChanges | null;
  /** Failures that the entries accept, counted as the gate counts them: a cause has an entry for each operation. */
  readonly failures: number;
  /** Further requirements that fail for the causes of those, and have no entry. */
  readonly consequences: number;
  /** MUSTs that could not be decided, which the entries accept. */
  readonly undecided: number;
  /** Entries without a reason. */
  readonly unfilled: number;
  /** MUSTs that could not be decided and have no entry, because another run may decide them: id, and kind of the cause. */
  readonly left: readonly { readonly id: string; readonly kind: Cause['kind'] | null }[];
  /** MUSTs that could not be decided, and whose entry has expired. */
  readonly expired: readonly string[];
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
  return { baseline, path, write: baselineWrite === undefined ? null : { path: baselineWrite, reason } };
}

/**
 * Lays the baseline over a judgement, of a run of the suite or of other traffic. Where a new one is asked for, it is written and
 * laid over the judgement in place of the old one, so that the verdict is the one of the next run with this file.
 */
export function applyKnownFailures(
  judgement: Judgement,
  { baseline, write, path = null }: KnownFailures,
  { isRun }: Pick<BaselineUse, 'isRun'>,
): BaselineOutcome & { readonly written: WrittenBaseline | null } {
  const made =
    write === null
      ? null
      : makeAndWrite(write, judgement, { known: before(judgement, { baseline, write, path }), isRun });
  const used = made?.baseline ?? baseline;
  if (used === null) return { judgement, problems: [], written: made?.written ?? null };
  // The date decides whether an entry has expired; it is that of UTC, so that all machines of a CI agree.
  const today = new Date().toISOString().slice(0, 10);
  const outcome = applyBaseline(judgement, used, { today, isRun });
  if (made === null) return { ...outcome, written: null };
  const open = undecidedMusts(outcome.judgement.requirements);
  const listed = new Set(used.known.map(({ id }) => id));
  const left = open
    .filter(({ id }) => !listed.has(id))
    .map(({ id, cause }) => ({ id, kind: cause?.kind ?? null }));
  const expired = open.filter(({ id }) => listed.has(id)).map(({ id }) => id);
  const counted = made.written.isWritten
    ? { ...countAccepted(outcome.judgement), ...entriesByUse(used, outcome.judgement) }
    : {};
  return { ...outcome, written: { ...made.written, ...counted, left, expired } };
}

/** Counts everything that the baseline of a judgement accepts, as the gate does. */
function countAccepted(
  judgement: Judgement,
): Pick<WrittenBaseline, 'failures' | 'consequences' | 'undecided'> {
  const { count, consequences } = countKnownFailures(judgement);
  return { failures: count, consequences, undecided: acceptedMusts(judgement.requirements).length };
}

/** The entries that a new file takes over: those of the other side, service or client, stay in the file that they are in. */
function before(judgement: Judgement, { baseline, write, path = null }: KnownFailures): Baseline | null {
  if (baseline === null || write === null || path === null || isSameFile(write.path, path)) return baseline;
  return { ...baseline, known: baseline.known.filter(ofJudgedSide(judgement)) };
}

/** Whether two paths lead to one file, which need not be there. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => (existsSync(path) ? realpathSync(path) : resolve(path)));
  return a === b;
}

/** Writes the file with two spaces of indentation, because people edit and review it. Null where nothing was judged. */
function makeAndWrite(
  { path, reason: given }: NonNullable<KnownFailures['write']>,
  judgement: Judgement,
  { known, isRun }: Pick<BaselineUse, 'isRun'> & { readonly known: Baseline | null },
): { readonly written: WrittenBaseline; readonly baseline: Baseline | null } {
  if (!judgement.requirements.some(({ verdict }) => JUDGED.has(verdict))) {
    const counts = { ...NONE, entries: 0, unfilled: 0, changes: null };
    return { written: { path, isWritten: false, ...counts }, baseline: null };
  }
  const made = makeBaseline(judgement, known, given, { isRun });
  writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`);
  const unfilled = made.known.filter(({ reason }) => reason === MISSING_REASON).length;
  const changes = known === null ? null : changesBetween(known, made);
  const counts = { ...NONE, entries: made.known.length, unfilled, changes };
  return { written: { path, isWritten: true, ...counts }, baseline: made };
}

function changesBetween(before: Baseline, after: Baseline): BaselineChanges {
  const old = new Map(before.known.map((entry) => [entry.id, entry]));
  const ids = new Set(after.known.map(({ id }) => id));
  const facts = ({ signatures, undecided }: Baseline['known'][number]) =>
    [undecided, ...signatures.toSorted()].join(' ');
  const stayed = after.known.filter(({ id }) => old.has(id));
  const changed = stayed.filter((entry) => {
    const earlier = old.get(entry.id);
    return earlier !== undefined && facts(earlier) !== facts(entry);
  });
  return {
    kept: stayed.length - changed.length,
    added: after.known.length - stayed.length,
    changed: changed.map(({ id }) => id),
    removed: before.known.flatMap(({ id }) => (ids.has(id) ? [] : [id])),
  };
}

/** Before the baseline is laid over the judgement. */
const NONE = {
  ...{ failures: 0, consequences: 0, undecided: 0, left: [], expired: [] },
  ...{ causes: { entries: 0, requirements: 0 }, unseen: 0 },
};

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

// Why a baseline has more or fewer entries than failures and missing decisions are accepted.

/** Entries of a baseline by what they have to do with a judgement. */
export interface EntriesByUse {
  /** Entries that are for causes, and how many requirements they are for: one may have several causes, and a cause several requirements. */
  readonly causes: { readonly entries: number; readonly requirements: number };
  /** Entries of which the traffic shows nothing. */
  readonly unseen: number;
}

/** Sorts the entries of a baseline by what they have to do with a judgement. */
export function entriesByUse(
  { known }: Baseline,
  { requirements }: Pick<Judgement, 'requirements'>,
): EntriesByUse {
  const accepted = requirements.filter(({ baseline }) => baseline !== null);
  const seen = new Set(accepted.flatMap(idsFor));
  const used = known.filter(({ id }) => seen.has(id));
  const causes = new Set(used.flatMap(({ id }) => (causeParts(id) === null ? [] : [id])));
  const caused = accepted.filter((one) => !isConsequence(one) && idsFor(one).some((id) => causes.has(id)));
  return {
    causes: { entries: causes.size, requirements: caused.length },
    unseen: known.length - used.length,
  };
}

/** The ids by which an entry may accept a requirement: its own, and those of its causes. */
function idsFor({ id, findings, cause, consequenceOf = [] }: RequirementVerdict): readonly string[] {
  const faults = cause?.kind === 'breakdown' ? cause.faults.map((fault) => fault.id) : [];
  return [id, ...findings.flatMap(({ causeId }) => causeId ?? []), ...faults, ...consequenceOf];
}
