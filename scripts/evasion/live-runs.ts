// Refusals that are also tried live, with a proxy that refuses the request in front of the reference: the verdict on the whole run
// must agree with that on its edited trace.
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { Body } from '../../exchange/http/body.ts';
import { API_KEY, runOnReference } from '../run-on-reference.ts';
import { type EvasionJudge, type EvasionVerdict, verdictOfRefusal } from './proof.ts';
import { type DistinctRequest, distinctRequests, type RecordedRun, requestIdentity } from './recorded-run.ts';

/** The verdict on a whole run against a service that refuses one request. Throws an Error if the run ends early. */
async function liveVerdict(
  judge: EvasionJudge,
  { identity }: DistinctRequest,
  betaHeader: string,
): Promise<EvasionVerdict> {
  const answer: Parameters<typeof runOnReference>[0]['answer'] = ({ method, target, headers, body }) => {
    const request = { method, target, headers, body: Body.from(Buffer.from(body, 'latin1')) };
    // The service itself refuses requests without the key.
    const isAuthorized = headers.some(
      ([name, value]) => name.toLowerCase() === 'authorization' && value.endsWith(API_KEY),
    );
    return isAuthorized && requestIdentity(request, betaHeader) === identity ? { status: 400 } : null;
  };
  return runOnReference({ answer }, async (cassette) => {
    const { header, items } = await readTrace(cassette);
    return judge.judgeAll(items, header);
  });
}

interface ComparedRefusal {
  readonly operation: string;
  /** The request on one line, truncated. */
  readonly request: string;
  readonly edited: EvasionVerdict['outcome'];
  readonly live: EvasionVerdict['outcome'];
}

/** `count` requests spread over the run, selected by a seed. */
export function seededRequests(run: RecordedRun, seed: number, count: number): readonly DistinctRequest[] {
  const all = distinctRequests(run);
  return Array.from({ length: Math.min(count, all.length) }, (_, n) => {
    const request = all[(seed + n * Math.ceil(all.length / count)) % all.length];
    if (request === undefined) throw new RangeError('no request is beyond the last');
    return request;
  });
}

/** Makes one whole run per request, and calls `report` with a line about each. */
export async function compareLiveRuns(
  judge: EvasionJudge,
  run: RecordedRun,
  requests: readonly DistinctRequest[],
  report: (line: string) => void,
) {
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
    /** Runs with the same outcome as their edited trace. */
    equal: refusals.filter(({ edited, live }) => edited === live).length,
    /** Runs in which the two ways disagree about a choice, or one of them does not catch the refusal. */
    different: refusals.filter((one) => !isAlike(one)).length,
    refusals,
  };
}

/**
 * Whether both ways catch a refusal, or both leave it to a choice. They may catch it by different requirements, because a live
 * scenario continues differently from the edited trace.
 */
function isAlike({ edited, live }: ComparedRefusal): boolean {
  return (edited === 'choice') === (live === 'choice') && edited !== 'green' && live !== 'green';
}

export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 240 ? `${line.slice(0, 240)}…` : line;
}
