import { getOrMake } from '../../schemas/maps.ts';
import { arrayAt, isObject, listElements, textAt } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { RUN_CREATIONS, runStreamOf } from './streams.ts';

/** An object and its place: `/data/3`, empty, or `event 7`. */
export interface PlacedObject {
  readonly at: string;
  readonly value: Json;
}

export function shownObjects({ operation, responseJson: answer }: Call): readonly PlacedObject[] {
  if (operation.list !== null) return listElements(answer);
  return answer === undefined ? [] : [{ at: '', value: answer }];
}

export interface RunResponse extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** At least one run; `at` is the event, or empty for a non-streamed response. */
  readonly runs: readonly PlacedObject[];
  /** Like `runs`; if the call has no variant, omitted settings and the search tool come from the request. */
  readonly filledRuns: readonly PlacedObject[];
  readonly isStreamed: boolean;
}

export const runResponses: Selector<RunResponse> = stateless(
  'run answers',
  RUN_CREATIONS,
  { needs: 'an answer or stream with a run' },
  (call) => {
    const answer = runResponseOf(call);
    return answer === null ? [] : [answer];
  },
);

/** A request that creates a run, whatever its outcome. */
export interface RunRequest extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** The run as the response or its first event about a run shows it; undefined if none does. */
  readonly run: Json | undefined;
  readonly states: readonly string[];
}

export const runRequests: Selector<RunRequest> = stateless(
  'requests for runs',
  RUN_CREATIONS,
  { needs: 'a request for a run' },
  (call) => {
    const runs = runResponseOf(call)?.runs.map(({ value }) => value) ?? [];
    const states = runs.flatMap((run) => textAt(run, 'status') ?? []);
    return [{ call, asked: call.requestJson, run: runs[0], states, exchanges: [call.exchange] }];
  },
);

/** Results by call: several selectors read the same response. */
const responsesByCall = new WeakMap<Call, RunResponse | null>();

export function runResponseOf(call: Call): RunResponse | null {
  return getOrMake(responsesByCall, call, () => readRunResponse(call));
}

function readRunResponse(call: Call): RunResponse | null {
  const stream = runStreamOf(call);
  const { responseJson: answer } = call;
  if (stream === null && textAt(answer, 'object') !== 'thread.run') return null;
  const shown = stream === null ? [{ at: '', data: answer }] : stream.runs;
  const runs = shown.flatMap(({ at, data }) => (data === undefined ? [] : [{ at, value: data }]));
  if (runs.length === 0) return null;
  const sent = { exchanges: [call.exchange], call, asked: call.requestJson };
  return { ...sent, runs, filledRuns: completeFromRequest(call, runs), isStreamed: stream !== null };
}

function completeFromRequest(
  { variant, requestJson: asked }: Call,
  runs: readonly PlacedObject[],
): readonly PlacedObject[] {
  if (variant !== null || !isObject(asked)) return runs;
  const search = arrayAt(asked, 'tools').find((tool) => textAt(tool, 'type') === 'file_search');
  return runs.map(({ at, value }) => {
    if (!isObject(value)) return { at, value };
    const run = { ...asked, ...value };
    if (search === undefined) return { at, value: run };
    const tools = arrayAt(run, 'tools').map((tool) => (textAt(tool, 'type') === 'retrieval' ? search : tool));
    return { at, value: { ...run, tools } };
  });
}

/** A key for an object of a thread, because ids are unique only within a thread. */
export function keyInThread(thread: string | undefined, id: string): string {
  return JSON.stringify([thread ?? null, id]);
}
