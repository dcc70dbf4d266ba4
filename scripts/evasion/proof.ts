import type { EvasionJudge, EvasionVerdict } from './evasion-judge.ts';
import { OUTCOMES } from './evasion-judge.ts';
import { hiddenAnswers, hiddenTrace } from './hidden-answers.ts';
import { type DistinctRequest, distinctRequests, type RecordedRun } from './recorded-run.ts';
import { refusedTrace } from './refused-trace.ts';

/** The evasions of one kind: how many were tried, and what became of them. */
export type EvasionCounts = Readonly<Record<EvasionVerdict['outcome'], number>>;

/** What became of all evasions, or of a share of them. */
export interface EvasionReport {
  /** Counts by kind; `refused-request` is each distinct valid request, refused wherever it is sent. */
  readonly kinds: Readonly<Record<string, EvasionCounts>>;
  /** Alternatives of choices that permit evasions, with how many: `chat.message.null-content: refused`. */
  readonly choices: Readonly<Record<string, number>>;
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
}

/** Tries a share of all evasions of a run. */
export function proveEvasions(judge: EvasionJudge, run: RecordedRun, shares: EvasionShares): EvasionReport {
  const hidden = shares.hidden === null ? [] : hidings(judge, run, shares.hidden);
  const results = [...refusals(judge, run, shares.refusals), ...hidden];
  const kinds: Record<string, EvasionCounts> = {};
  for (const { kind, verdict } of results) kinds[kind] = counted(kinds[kind] ?? NONE, verdict);
  const choices: Record<string, number> = {};
  for (const { verdict } of results)
    for (const name of verdict.outcome === 'choice' ? verdict.by : [])
      choices[name] = (choices[name] ?? 0) + 1;
  return {
    kinds,
    choices,
    green: results.flatMap(({ kind, name, verdict }) =>
      verdict.outcome === 'green' ? [`${kind} ${name}`] : [],
    ),
  };
}

/** Joins the reports of all shares. */
export function joinEvasionReports(reports: readonly EvasionReport[]): EvasionReport {
  const kinds: Record<string, EvasionCounts> = {};
  const choices: Record<string, number> = {};
  for (const report of reports) {
    for (const [kind, counts] of Object.entries(report.kinds))
      kinds[kind] = summed(kinds[kind] ?? NONE, counts);
    for (const [name, times] of Object.entries(report.choices)) choices[name] = (choices[name] ?? 0) + times;
  }
  return {
    kinds: sortedByName(kinds),
    choices: sortedByName(choices),
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
function* refusals(judge: EvasionJudge, run: RecordedRun, share: EvasionShare): Generator<Result> {
  for (const request of distinctRequests(run).filter(isIn(share)))
    yield { kind: 'refused-request', name: request.identity, verdict: verdictOfRefusal(judge, run, request) };
}

/** Each way to show less. */
function* hidings(judge: EvasionJudge, run: RecordedRun, share: EvasionShare): Generator<Result> {
  for (const hidden of hiddenAnswers(run).filter(isIn(share))) {
    const trace = hiddenTrace(run, hidden);
    if (trace !== null)
      yield { kind: hidden.kind, name: hidden.name, verdict: judge.ofHidden(trace, hidden) };
  }
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
