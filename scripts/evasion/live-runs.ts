// Repeats refusals live, with a proxy in front of the reference that refuses the request: neither the verdict on the
// whole run nor that on the edited trace may miss the refusal.
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { Body } from '../../exchange/http/body.ts';
import { API_KEY, runOnReference } from '../run-on-reference.ts';
import type { EvasionJudge, EvasionVerdict } from './evasion-judge.ts';
import { excuseUnstated, verdictOfRefusal } from './evasions.ts';
import { type DistinctRequest, distinctRequests, type RecordedRun } from './recorded-run.ts';
import { requestIdentity } from './request-identity.ts';

const MAX_LINE_LENGTH = 240;

async function judgeLive(
  judge: EvasionJudge,
  refused: DistinctRequest,
  betaHeader: string,
): Promise<EvasionVerdict> {
  const answer: Parameters<typeof runOnReference>[0]['answer'] = ({ method, target, headers, body }) => {
    const request = { method, target, headers, body: Body.from(Buffer.from(body, 'latin1')) };
    // The service itself refuses requests without the key.
    const isAuthorized = headers.some(
      ([name, value]) => name.toLowerCase() === 'authorization' && value.endsWith(API_KEY),
    );
    return isAuthorized && requestIdentity(request, betaHeader) === refused.identity ? { status: 400 } : null;
  };
  return runOnReference({ answer }, async (cassette) => {
    const { header, items } = await readTrace(cassette);
    return excuseUnstated(judge.judgeAll(items, header), refused);
  });
}

interface ComparedRefusal {
  readonly operation: string;
  readonly request: string;
  readonly edited: EvasionVerdict['outcome'];
  readonly live: EvasionVerdict['outcome'];
}

/** Selects at most `count` distinct requests spread over the run, by a seed. */
export function selectRequests(run: RecordedRun, seed: number, count: number): readonly DistinctRequest[] {
  const all = distinctRequests(run);
  const length = Math.min(count, all.length);
  const step = all.length / length;
  const positions = Array.from({ length }, (_, n) => (seed + Math.floor(n * step)) % all.length);
  return positions.flatMap((position) => all[position] ?? []);
}

export async function compareLiveRuns(
  judge: EvasionJudge,
  run: RecordedRun,
  requests: readonly DistinctRequest[],
  report: (line: string) => void,
) {
  const refusals: ComparedRefusal[] = [];
  for (const request of requests) {
    const edited = verdictOfRefusal(judge, run, request);
    const live = await judgeLive(judge, request, run.header.betaHeader);
    const { operation, identity } = request;
    const refusal = { operation, request: toOneLine(identity), edited: edited.outcome, live: live.outcome };
    refusals.push(refusal);
    const mark = isAlike(refusal) ? 'ok  ' : 'FAIL';
    const by = live.by[0] ?? 'nothing';
    report(`${mark}  ${edited.outcome}, live ${live.outcome} (${by}): ${refusal.request}`);
  }
  return {
    runs: refusals.length,
    equal: refusals.filter(({ edited, live }) => edited === live).length,
    /** Runs in which the two ways disagree about a choice, or in which at least one misses the refusal. */
    different: refusals.filter((refusal) => !isAlike(refusal)).length,
    refusals,
  };
}

/**
 * Whether neither way misses a refusal, and both or neither leave it to a choice. They may catch it by different
 * requirements, because a live scenario continues differently from the edited trace.
 */
function isAlike({ edited, live }: ComparedRefusal): boolean {
  return (edited === 'choice') === (live === 'choice') && edited !== 'green' && live !== 'green';
}

export function toOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
}
