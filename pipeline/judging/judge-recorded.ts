import type { TraceHeader } from '../../exchange/trace.ts';
import type { Dialect } from '../../judge/dialects/dialect.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { catalogue } from '../../suites/index.ts';
import { withDialect } from '../dialects.ts';
import { refuseMissingExtensions } from '../extensions-in-effect.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';
import { type JudgedTrace, TraceJudge, type TraceJudgeOptions } from './trace-judge.ts';

/** How recorded traffic is judged where that differs from its header. */
export interface JudgeRecordedOptions {
  /** The dialect that the traffic was driven under, or is to be judged under. */
  readonly dialect: Dialect | null;
  /** Take the place of the claims of the traffic. */
  readonly claims?: TraceHeader['claims'];
  /** Who is judged; the service unless given. */
  readonly side?: JudgedSide;
  /** `stated` unless given. */
  readonly finds?: TraceJudgeOptions['claims'];
}

/** Judges recorded traffic in one pass, in this thread: no traffic has to wait for it. */
export async function judgeRecorded(
  traffic: Pick<RecordedTraffic, 'header' | 'traces'>,
  { dialect, claims = traffic.header.claims, finds = 'stated', side = 'server' }: JudgeRecordedOptions,
): Promise<JudgedTrace> {
  refuseMissingExtensions(traffic.header);
  const header = { ...withDialect(traffic.header, dialect), claims };
  const judge = new TraceJudge({ catalogue: await catalogue(side), header, dialect, claims: finds });
  let traces = 0;
  for (const trace of traffic.traces()) {
    // Ordinals begin anew in each cassette, so no exchange precedes those of another one.
    if (traces > 0) judge.next();
    for await (const item of trace) judge.feed(item);
    traces += 1;
  }
  return judge.finish();
}
