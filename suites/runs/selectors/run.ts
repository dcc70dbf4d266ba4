import { follow, LruMap } from '../../vocabulary/collecting.ts';
import { textAt, valueAtPath } from '../../vocabulary/json.ts';
import { stateless, that, where } from '../../vocabulary/selectors.ts';
import { violation } from '../../vocabulary/statements.ts';
import type { Call, Evidence, Exchange, Json, Selector, Violation } from '../../vocabulary/types.ts';
import { runStreamOf, STREAMING_OPERATIONS } from '../streams/run-stream.ts';

/** The run that a response shows as created: the run itself, or a run in each event that has one. */
export interface RunResponse extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** At least one; `at` is the beginning of a place within it: `event 3 `, or nothing. */
  readonly runs: readonly { readonly at: string; readonly run: Json }[];
  /** Whether the response is a stream of events. */
  readonly streamed: boolean;
}

/** The answers that create runs, streamed or not. */
export const runResponses: Selector<RunResponse> = stateless(
  'run answers',
  STREAMING_OPERATIONS,
  { needs: 'an answer or stream with a run' },
  (call) => {
    const answer = runResponseOf(call);
    return answer === null ? [] : [answer];
  },
);

/** Many selectors ask for the runs of the same call. */
const found = new WeakMap<Call, RunResponse | null>();

/** The runs that a response contains, streamed or not; null where it contains none. */
export function runResponseOf(call: Call): RunResponse | null {
  let response = found.get(call);
  if (response === undefined) {
    response = readRunResponse(call);
    found.set(call, response);
  }
  return response;
}

function readRunResponse(call: Call): RunResponse | null {
  const { responseJson: answer, requestJson: asked } = call;
  const common = { exchanges: [call.exchange], call, asked };
  const stream = runStreamOf(call);
  if (stream !== null) {
    const runs = stream.runs.flatMap(({ at, data }) =>
      data === undefined ? [] : [{ at: `${at} `, run: data }],
    );
    return runs.length === 0 ? null : { ...common, runs, streamed: true };
  }
  if (answer === undefined || textAt(answer, 'object') !== 'thread.run') return null;
  return { ...common, runs: [{ at: '', run: answer }], streamed: false };
}

/** An id with that of its thread: ids are sure to be different only below one. */
export function keyBelow(thread: string | undefined, id: string): string {
  return JSON.stringify([thread ?? null, id]);
}

/** The id of a run, and the earlier answer that created one of the same id on the same thread. */
export interface RunIdentity extends Evidence {
  readonly id: string;
  /** The exchange that returned the same id before; null where none did. */
  readonly earlier: Exchange | null;
}

/** Ids of new runs, each with an earlier exchange that returned the same id. */
export const runIdentities: Selector<RunIdentity> = follow(
  STREAMING_OPERATIONS,
  () => {
    const seen = new LruMap<Exchange>();
    return (call) => {
      const run = runResponseOf(call)?.runs[0]?.run;
      const id = textAt(run, 'id');
      if (id === undefined) return [];
      const key = keyBelow(textAt(run, 'thread_id'), id);
      const earlier = seen.get(key) ?? null;
      seen.set(key, call.exchange);
      return [{ id, earlier, exchanges: earlier === null ? [call.exchange] : [earlier, call.exchange] }];
    };
  },
  'a run with an id',
);

/** Responses that contain a run in one of these states. */
export function runsIn(...states: readonly string[]) {
  return where(
    runResponses,
    that(`in a state of ${states.join(', ')}`, ({ runs }) =>
      runs.some(({ run }) => states.includes(textAt(run, 'status') ?? '')),
    ),
  );
}

/** Fields that are set though the run is in one of these states. */
export function setWhile(
  { runs }: RunResponse,
  states: readonly string[],
  fields: readonly string[],
): readonly Violation[] {
  return runs
    .filter(({ run }) => states.includes(textAt(run, 'status') ?? ''))
    .flatMap(({ at, run }) =>
      fields
        .filter((field) => (valueAtPath(run, field) ?? null) !== null)
        .map((field) =>
          violation(`${at}/${field}`, `null while ${textAt(run, 'status')}`, valueAtPath(run, field)),
        ),
    );
}
