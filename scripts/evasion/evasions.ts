import { type EvasionJudge, type EvasionVerdict, OUTCOMES } from './evasion-judge.ts';
import { hiddenAnswers, hiddenTrace } from './hidden-answers.ts';
import { type DistinctRequest, distinctRequests, type RecordedRun } from './recorded-run.ts';
import { refusedTrace } from './refused-trace.ts';
import { unstatedContent, unstatedRequest } from './unstated.ts';

export interface EvasionReport {
  /** Counts by kind; `refused-request` is each distinct valid request, refused wherever it is sent. */
  readonly kinds: Readonly<Record<string, Readonly<Record<EvasionVerdict['outcome'], number>>>>;
  /** Number of evasions that each alternative of a choice permits: `chat.message.null-content: refused`. */
  readonly choices: Readonly<Record<string, number>>;
  readonly unstated: Readonly<Record<string, number>>;
  readonly green: readonly string[];
}

export interface Evasion {
  readonly kind: string;
  readonly name: string;
  readonly operation: string;
  /** Judges the evasion; null if it changes nothing. */
  readonly findVerdict: () => EvasionVerdict | null;
}

export interface TriedEvasion {
  readonly kind: string;
  readonly name: string;
  readonly verdict: EvasionVerdict;
}

export function refusalEvasions(judge: EvasionJudge, run: RecordedRun): readonly Evasion[] {
  return distinctRequests(run).map((request) => ({
    kind: 'refused-request',
    name: request.identity,
    operation: request.operation,
    findVerdict: () => verdictOfRefusal(judge, run, request),
  }));
}

export function hidingEvasions(judge: EvasionJudge, run: RecordedRun): readonly Evasion[] {
  return hiddenAnswers(run).map((hidden) => ({
    ...hidden,
    findVerdict: () => {
      const trace = hiddenTrace(run, hidden);
      if (trace === null) return null;
      const verdict = judge.judgeHidden(trace, hidden);
      const isCaught = verdict.outcome !== 'green' && verdict.outcome !== 'choice';
      return isCaught ? verdict : replaceIfUnstated(verdict, unstatedContent(hidden));
    },
  }));
}

function replaceIfUnstated(verdict: EvasionVerdict, entry: { readonly id: string } | null): EvasionVerdict {
  return entry === null ? verdict : { outcome: 'unstated', by: [entry.id] };
}

/** Counts the evasions by kind and outcome; counts are sorted by name for minimal diffs of the committed result. */
export function evasionReport(results: readonly TriedEvasion[]): EvasionReport {
  const kinds: Record<string, Record<EvasionVerdict['outcome'], number>> = {};
  const permitted: Record<'choice' | 'unstated', Record<string, number>> = { choice: {}, unstated: {} };
  for (const { kind, verdict } of results) {
    const { outcome, by } = verdict;
    kinds[kind] ??= { cause: 0, failure: 0, inconclusive: 0, choice: 0, unstated: 0, green: 0 };
    kinds[kind][outcome] += 1;
    if (outcome !== 'choice' && outcome !== 'unstated') continue;
    for (const name of by) permitted[outcome][name] = (permitted[outcome][name] ?? 0) + 1;
  }
  return {
    kinds: sortByName(kinds),
    choices: sortByName(permitted.choice),
    unstated: sortByName(permitted.unstated),
    green: results.flatMap(({ kind, name, verdict }) =>
      verdict.outcome === 'green' ? [`${kind} ${name}`] : [],
    ),
  };
}

function sortByName<V>(values: Readonly<Record<string, V>>): Readonly<Record<string, V>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The worse of two verdicts on a refusal: one for scenarios that continue, one for scenarios that end there. */
export function verdictOfRefusal(
  judge: EvasionJudge,
  run: RecordedRun,
  request: DistinctRequest,
): EvasionVerdict {
  const refused = new Set(request.exchanges);
  const blocked = refusedTrace(run, refused, 'blocked');
  // A cause that is found with a blocked scenario is also found with one that continues and shows more.
  const cause = judge.judgeRefusals(blocked);
  if (cause !== null) return cause;
  const continued = refusedTrace(run, refused, 'continues');
  return excuseUnstated(worseVerdict(judge.judgeAll(blocked), judge.judgeAll(continued)), request);
}

/** The verdict, or `unstated` if it is green and the specification leaves open whether the request is valid. */
export function excuseUnstated(verdict: EvasionVerdict, request: DistinctRequest): EvasionVerdict {
  return verdict.outcome === 'green' ? replaceIfUnstated(verdict, unstatedRequest(request)) : verdict;
}

function worseVerdict(one: EvasionVerdict, other: EvasionVerdict): EvasionVerdict {
  return OUTCOMES.indexOf(one.outcome) >= OUTCOMES.indexOf(other.outcome) ? one : other;
}
