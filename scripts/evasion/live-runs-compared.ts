// Refusals that are tried live as well: what becomes of a whole run must be what becomes of its edited trace.
import type { EvasionJudge, EvasionVerdict } from './evasion-judge.ts';
import { liveVerdict } from './live-runs.ts';
import { verdictOfRefusal } from './proof.ts';
import { type DistinctRequest, distinctRequests, type RecordedRun } from './recorded-run.ts';

/** A refusal that was tried in both ways. */
interface ComparedRefusal {
  readonly operation: string;
  /** The request on one line, cut. */
  readonly request: string;
  readonly edited: EvasionVerdict['outcome'];
  readonly live: EvasionVerdict['outcome'];
}

/** Whole runs against a service that refuses, compared with the edited traces. */
export interface LiveComparison {
  readonly runs: number;
  /** Of them, those with the very same outcome. */
  readonly equal: number;
  /** Of them, those in which one way caught what the other did not. */
  readonly different: number;
  readonly refusals: readonly ComparedRefusal[];
}

/** Requests that are spread over the run, chosen by a seed. */
export function seededRequests(run: RecordedRun, seed: number, count: number): readonly DistinctRequest[] {
  const all = distinctRequests(run);
  return Array.from({ length: Math.min(count, all.length) }, (_, n) => {
    const request = all[(seed + n * Math.ceil(all.length / count)) % all.length];
    if (request === undefined) throw new RangeError('no request is beyond the last');
    return request;
  });
}

/** Drives one whole run for each request, and tells `report` of each. */
export async function compareLiveRuns(
  judge: EvasionJudge,
  run: RecordedRun,
  requests: readonly DistinctRequest[],
  report: (line: string) => void,
): Promise<LiveComparison> {
  const refusals: ComparedRefusal[] = [];
  for (const request of requests) {
    const edited = verdictOfRefusal(judge, run, request);
    const live = await liveVerdict(judge, request, run.header.betaHeader);
    const { operation, identity } = request;
    const compared = { operation, request: oneLine(identity), edited: edited.outcome, live: live.outcome };
    refusals.push(compared);
    const mark = isAlike(compared) ? 'ok  ' : 'FAIL';
    report(
      `${mark}  ${edited.outcome}, live ${live.outcome} (${live.by[0] ?? 'nothing'}): ${compared.request}`,
    );
  }
  return {
    runs: refusals.length,
    equal: refusals.filter(({ edited, live }) => edited === live).length,
    different: refusals.filter((one) => !isAlike(one)).length,
    refusals,
  };
}

/**
 * Whether both ways catch a refusal, or both leave it to a choice. By what it is caught may differ: a live scenario goes another way
 * after a refusal than its trace was edited.
 */
function isAlike({ edited, live }: ComparedRefusal): boolean {
  return (edited === 'choice') === (live === 'choice') && edited !== 'green' && live !== 'green';
}

/** A name as a line of a terminal, 240 characters at most. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 240 ? `${line.slice(0, 240)}…` : line;
}
