import { follow, LruMap, precedes } from '../../vocabulary/collecting.ts';
import { textAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Call, Evidence, Json, Selector } from '../../vocabulary/types.ts';
import {
  isStreamingRequest,
  type RunStream,
  runStreamOf,
  STREAMING_OPERATIONS,
} from '../streams/run-stream.ts';
import { type RunResponse, runResponseOf } from './run.ts';

/** The creation of a run, and a later successful look at its thread, its messages or its steps. */
export interface FollowUp extends Evidence {
  /** The response that created the run. */
  readonly begun: RunResponse;
  /** Null where it was not streamed. */
  readonly stream: RunStream | null;
  /** The run as that response showed it last. */
  readonly run: Json;
  /** The later call. */
  readonly after: Call;
  /** The JSON of the later response. */
  readonly answer: Json;
}

/** So many threads are kept in mind, and so many runs of each. */
const THREADS = 200;
/** At most this many runs are remembered for each thread. */
const RUNS = 5;

/** Looks at what runs have left, by operations of their threads; where these name a run, at that one only. */
export function followUps(later: readonly string[]): Selector<FollowUp> {
  return follow(
    [...STREAMING_OPERATIONS, ...later],
    () => {
      const begun = new LruMap<readonly RunResponse[]>(THREADS);
      return (call) => {
        if (isStreamingRequest(call.operation.id)) begin(begun, call);
        else if (call.responseJson !== undefined) return looksOf(begun, call, call.responseJson);
        return [];
      };
    },
    `an answer 2xx of ${later.join(' or ')} in a thread, after a run of it was shown`,
  );
}

/** The same, where what is judged belongs to the later operations. */
export function followUpsBy(later: readonly string[]): Selector<FollowUp> {
  return { ...followUps(later), operations: [...later, ...STREAMING_OPERATIONS] };
}

/** Remembers a run by its thread. */
function begin(begun: LruMap<readonly RunResponse[]>, call: Call): void {
  const answer = runResponseOf(call);
  const thread = textAt(answer?.runs[0]?.run, 'thread_id');
  if (answer === null || thread === undefined) return;
  begun.set(thread, [...(begun.get(thread) ?? []), answer].slice(-RUNS));
}

/** Relates a later look-up of a thread, its messages or runs to the runs that were created on it. */
function looksOf(begun: LruMap<readonly RunResponse[]>, call: Call, answer: Json): readonly FollowUp[] {
  const { thread_id: thread = '', run_id: run } = call.path;
  return (begun.get(thread) ?? [])
    .filter(({ call: first }) => precedes(first.exchange, call.exchange))
    .map((one) => lookOf(one, call, answer))
    .filter((look) => run === undefined || textAt(look.run, 'id') === run);
}

function lookOf(begun: RunResponse, after: Call, answer: Json): FollowUp {
  const run = begun.runs[0]?.run ?? null;
  const exchanges = [begun.call.exchange, after.exchange];
  return { begun, stream: runStreamOf(begun.call), run, after, answer, exchanges };
}

/** True when a list contains all elements in one page; with a filter all elements that match. */
export function isCompleteResponse({
  responseJson: answer,
  query,
}: Pick<Call, 'responseJson' | 'query'>): boolean {
  return valueAtPath(answer, 'has_more') === false && !query.has('after') && !query.has('before');
}
