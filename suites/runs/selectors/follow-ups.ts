import { follow, LruMap, precedes } from '../../vocabulary/collecting.ts';
import { textAt, valueAtPath } from '../../vocabulary/json.ts';
import type { Call, Collector, Evidence, Json, Selector } from '../../vocabulary/types.ts';
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
    () => new LookCollector(),
    `an answer 2xx of ${later.join(' or ')} in a thread, after a run of it was shown`,
  );
}

/** The same, where what is judged belongs to the later operations. */
export function followUpsBy(later: readonly string[]): Selector<FollowUp> {
  return { ...followUps(later), operations: [...later, ...STREAMING_OPERATIONS] };
}

/** Relates later look-ups of a thread, its messages and runs to the runs that were created on it. */
class LookCollector implements Collector<FollowUp> {
  readonly #begun = new LruMap<readonly RunResponse[]>(THREADS);

  call(call: Call): readonly FollowUp[] {
    if (isStreamingRequest(call.operation.id)) {
      this.#begin(call);
      return [];
    }
    const { responseJson: answer, path } = call;
    const begun = this.#begun.get(path['thread_id'] ?? '') ?? [];
    if (answer === undefined) return [];
    return begun
      .filter(({ call: first }) => precedes(first.exchange, call.exchange))
      .map((one) => lookOf(one, call, answer))
      .filter(({ run }) => path['run_id'] === undefined || textAt(run, 'id') === path['run_id']);
  }

  #begin(call: Call): void {
    const answer = runResponseOf(call);
    const thread = textAt(answer?.runs[0]?.run, 'thread_id');
    if (answer === null || thread === undefined) return;
    this.#begun.set(thread, [...(this.#begun.get(thread) ?? []), answer].slice(-RUNS));
  }
}

function lookOf(begun: RunResponse, after: Call, answer: Json): FollowUp {
  const exchanges = [begun.call.exchange, after.exchange];
  return {
    begun,
    stream: runStreamOf(begun.call),
    run: begun.runs[0]?.run ?? null,
    after,
    answer,
    exchanges,
  };
}

/** True when a list contains all elements in one page; with a filter all elements that match. */
export function isCompleteResponse({
  responseJson: answer,
  query,
}: Pick<Call, 'responseJson' | 'query'>): boolean {
  return valueAtPath(answer, 'has_more') === false && !query.has('after') && !query.has('before');
}
