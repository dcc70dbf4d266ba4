import { type EvasionJudge, type EvasionVerdict, OUTCOMES } from './evasion-judge.ts';

import type { HiddenAnswer } from './hidden/hidden-answer.ts';
import { unstatedContent } from './hidden/unstated-content.ts';
import { hiddenAnswers, hiddenTrace } from './hidden-answers.ts';
import { type DistinctRequest, distinctRequests, type RecordedRun } from './recorded-run.ts';
import { refusedTrace } from './refused-trace.ts';
import { unstatedRequest } from './unstated-requests.ts';

/** The evasions of one kind: how many were tried, and what became of them. */
export type EvasionCounts = Readonly<Record<EvasionVerdict['outcome'], number>>;

/** What became of all evasions, or of a share of them. */
export interface EvasionReport {
  /** Counts by kind; `refused-request` is each distinct valid request, refused wherever it is sent. */
  readonly kinds: Readonly<Record<string, EvasionCounts>>;
  /** Alternatives of choices that permit evasions, with how many: `chat.message.null-content: refused`. */
  readonly choices: Readonly<Record<string, number>>;
  /** Entries of `hidden/unstated-content.ts` that leave open what evasions hide, with how many. */
  readonly unstated: Readonly<Record<string, number>>;
  /** Evasions that nothing caught. */
  readonly green: readonly string[];
}

/** A share of evasions: each one whose place, divided by `of`, leaves `index`. */
export interface EvasionShare {
  readonly index: number;
  readonly of: number;
}

/** The shares of the evasions that a process tries. */
export interface EvasionShares {
  readonly refusals: EvasionShare;
  /** Of the answers that show less; null for none. */
  readonly hidden: EvasionShare | null;
  /** Ids of the operations whose answers are changed; all of them unless given. */
  readonly operations?: ReadonlySet<string>;
}

/** Tries a share of all evasions of a run. */
export function proveEvasions(
  judge: EvasionJudge,
  run: RecordedRun,
  shares: EvasionShares,
  onTried: (count: number) => void = () => {},
): EvasionReport {
  const results: Result[] = [];
  for (const kinds of [refusals, hidings])
    for (const result of kinds(judge, run, shares)) onTried(results.push(result));
  const kinds: Record<string, EvasionCounts> = {};
  for (const { kind, verdict } of results) kinds[kind] = counted(kinds[kind] ?? NONE, verdict);
  return {
    kinds,
    choices: timesOf(results, 'choice'),
    unstated: timesOf(results, 'unstated'),
    green: results.flatMap(({ kind, name, verdict }) =>
      verdict.outcome === 'green' ? [`${kind} ${name}`] : [],
    ),
  };
}

/** How many evasions a run has an occasion for, of all operations or of some. */
export function sizesOf(
  run: RecordedRun,
  { operations }: Pick<EvasionShares, 'operations'>,
): { readonly refusals: number; readonly hidden: number } {
  return {
    refusals: concerned(distinctRequests(run), operations).length,
    hidden: concerned(hiddenAnswers(run), operations).length,
  };
}

/** Joins the reports of all shares. */
export function joinEvasionReports(reports: readonly EvasionReport[]): EvasionReport {
  const kinds: Record<string, EvasionCounts> = {};
  for (const report of reports)
    for (const [kind, counts] of Object.entries(report.kinds))
      kinds[kind] = summed(kinds[kind] ?? NONE, counts);
  return {
    kinds: sortedByName(kinds),
    choices: sortedByName(added(reports.map(({ choices }) => choices))),
    unstated: sortedByName(added(reports.map(({ unstated }) => unstated))),
    green: reports.flatMap(({ green }) => green),
  };
}

/** What became of a refusal, in the worse of the two ways in which a scenario can go on after it. */
export function verdictOfRefusal(
  judge: EvasionJudge,
  run: RecordedRun,
  { exchanges }: DistinctRequest,
): EvasionVerdict {
  const refused = new Set(exchanges);
  const blocked = refusedTrace(run, refused, 'blocked');
  // A scenario that goes on shows more than one that is blocked, so that a cause which is found without it is found with it.
  const cause = judge.ofRefusals(blocked);
  if (cause !== null) return cause;
  return worse(judge.ofAll(blocked), judge.ofAll(refusedTrace(run, refused, 'continues')));
}

/** One evasion: its kind, its name and what became of it. */
interface Result {
  readonly kind: string;
  readonly name: string;
  readonly verdict: EvasionVerdict;
}

/** Each distinct valid request, refused wherever it is sent. */
function* refusals(judge: EvasionJudge, run: RecordedRun, shares: EvasionShares): Generator<Result> {
  const { refusals: share, operations } = shares;
  for (const request of concerned(distinctRequests(run), operations).filter(isIn(share)))
    yield {
      kind: 'refused-request',
      name: request.identity,
      verdict: permittedRefusal(verdictOfRefusal(judge, run, request), request),
    };
}

/** Each way to show less. */
function* hidings(judge: EvasionJudge, run: RecordedRun, shares: EvasionShares): Generator<Result> {
  const { hidden: share, operations } = shares;
  if (share === null) return;
  for (const hidden of concerned(hiddenAnswers(run), operations).filter(isIn(share))) {
    const trace = hiddenTrace(run, hidden);
    if (trace === null) continue;
    const verdict = judge.ofHidden(trace, hidden);
    yield { kind: hidden.kind, name: hidden.name, verdict: permitted(verdict, hidden) };
  }
}

/** The verdict on a request that may be refused because nothing is stated of it. */
function permittedRefusal(verdict: EvasionVerdict, request: DistinctRequest): EvasionVerdict {
  const open = verdict.outcome === 'green' ? unstatedRequest(request) : null;
  return open === null ? verdict : { outcome: 'unstated', by: [open.id] };
}

/** The verdict on content that may be hidden, also where a choice speaks of it: of it nothing is stated. */
function permitted(verdict: EvasionVerdict, hidden: HiddenAnswer): EvasionVerdict {
  const isCaught = verdict.outcome !== 'green' && verdict.outcome !== 'choice';
  const open = isCaught ? null : unstatedContent(hidden);
  return open === null ? verdict : { outcome: 'unstated', by: [open.id] };
}

/** Evasions by answers of these operations. */
function concerned<T extends { readonly operation: string }>(
  all: readonly T[],
  operations: ReadonlySet<string> | undefined,
): readonly T[] {
  return operations === undefined ? all : all.filter(({ operation }) => operations.has(operation));
}

/** How many evasions each choice, or each entry of unstated content, permits. */
function timesOf(
  results: readonly Result[],
  outcome: 'choice' | 'unstated',
): Readonly<Record<string, number>> {
  const found = results.filter(({ verdict }) => verdict.outcome === outcome);
  return added(found.map(({ verdict }) => Object.fromEntries(verdict.by.map((name) => [name, 1]))));
}

/** The sums of counts by their names. */
function added(all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const counts of all)
    for (const [name, times] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + times;
  return sums;
}

/** Whether an evasion is of this share, by its place among those of its kind. */
function isIn({ index, of }: EvasionShare): (one: unknown, n: number) => boolean {
  return (_, n) => n % of === index;
}

/** The verdict that catches less. */
function worse(one: EvasionVerdict, other: EvasionVerdict): EvasionVerdict {
  return OUTCOMES.indexOf(one.outcome) >= OUTCOMES.indexOf(other.outcome) ? one : other;
}

/** Counts of nothing. */
const NONE: EvasionCounts = { cause: 0, failure: 0, inconclusive: 0, choice: 0, unstated: 0, green: 0 };

/** The counts with one more. */
function counted(counts: EvasionCounts, { outcome }: EvasionVerdict): EvasionCounts {
  return { ...counts, [outcome]: counts[outcome] + 1 };
}

/** The sums of two reports. */
function summed(one: EvasionCounts, other: EvasionCounts): EvasionCounts {
  const sums = { ...one };
  for (const outcome of OUTCOMES) sums[outcome] += other[outcome];
  return sums;
}

/** Sorted, so that a new proof differs only where something has changed. */
function sortedByName<V>(values: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}
