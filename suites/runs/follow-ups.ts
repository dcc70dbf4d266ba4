import { getOrMake } from '../../schemas/maps.ts';
import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Call, Evidence, Exchange, Json, Selector } from '../vocabulary/types.ts';
import { type PlacedObject, type RunResponse, runResponseOf, shownObjects } from './runs.ts';
import {
  isRunCreation,
  joinMessageText,
  RUN_CREATIONS,
  type RunStream,
  runStreamOf,
  type StreamedObject,
} from './streams.ts';

export const MESSAGE_LOOK_UPS = ['listMessages', 'retrieveMessage'] as const;

/** The creation of a run, and a later successful look-up of its thread, messages or steps. */
export class FollowUp implements Evidence {
  readonly creation: RunResponse;
  readonly after: Call;
  readonly exchanges: readonly Exchange[];

  constructor(creation: RunResponse, after: Call) {
    this.creation = creation;
    this.after = after;
    this.exchanges = [creation.call.exchange, after.exchange];
  }

  get run(): Json {
    return this.creation.runs[0]?.value ?? null;
  }

  get stream(): RunStream | null {
    return runStreamOf(this.creation.call);
  }

  get answer(): Json {
    return this.after.responseJson ?? null;
  }

  get shown(): readonly PlacedObject[] {
    return shownObjects(this.after);
  }

  /** The messages of the run whose text no requested message has; empty if a requested message has no plain text. */
  get runMessages(): readonly PlacedObject[] {
    const texts = requestedMessages(this.creation.asked).map((message) => textAt(message, 'content'));
    const id = textAt(this.run, 'id');
    if (id === undefined || texts.includes(undefined)) return [];
    return this.shown.filter(
      ({ value }) => valueAtPath(value, 'run_id') === id && !texts.includes(joinMessageText(value)),
    );
  }

  /** The shown messages whose text is that of a user message in the request. */
  get callerMessages(): readonly PlacedObject[] {
    const texts = requestedMessages(this.creation.asked)
      .filter((message) => valueAtPath(message, 'role') === 'user')
      .flatMap((message) => textAt(message, 'content') ?? []);
    return this.shown.filter(
      ({ value }) => valueAtPath(value, 'role') === 'user' && texts.includes(joinMessageText(value)),
    );
  }

  get streamedObjects(): readonly (PlacedObject & {
    readonly streamed: StreamedObject;
    readonly text: string;
  })[] {
    const objects = [...(this.stream?.steps ?? []), ...(this.stream?.messages ?? [])];
    const { message_id, step_id } = this.after.path;
    return this.shown.flatMap(({ at, value }) => {
      const id = message_id ?? step_id ?? textAt(value, 'id');
      const streamed = objects.find((object) => object.id === id);
      return streamed === undefined ? [] : [{ at, value, streamed, text: joinMessageText(value) }];
    });
  }
}

const MAX_THREADS = 200;
const MAX_RUNS_PER_THREAD = 5;

/** Selectors by operations, so that requirements share the evidence and each run is kept once. */
const selectors = new Map<string, Selector<FollowUp>>();

/** Selects look-ups of a thread after runs on it. A look-up whose path names a run relates to that run only. */
export function followUps(...later: readonly string[]): Selector<FollowUp> {
  return followUpsIn([...RUN_CREATIONS, ...later], later);
}

/** Like `followUps`, for requirements on the later operations: a requirement belongs to its first operation. */
export function followUpsBy(...later: readonly string[]): Selector<FollowUp> {
  return followUpsIn([...later, ...RUN_CREATIONS], later);
}

function followUpsIn(operations: readonly string[], later: readonly string[]): Selector<FollowUp> {
  const needs = `a 2xx answer of ${later.join(' or ')} in a thread, after a run of it was shown`;
  return getOrMake(selectors, operations.join(' '), () => follow(operations, collectFollowUps, needs));
}

function collectFollowUps(): (call: Call) => readonly FollowUp[] {
  const runsByThread = new LruMap<readonly RunResponse[]>(MAX_THREADS);
  return (call) => {
    const started = runResponseOf(call);
    const thread = textAt(started?.runs[0]?.value, 'thread_id');
    if (started !== null && thread !== undefined)
      runsByThread.set(thread, [...(runsByThread.get(thread) ?? []), started].slice(-MAX_RUNS_PER_THREAD));
    if (isRunCreation(call.operation.id) || call.responseJson === undefined) return [];
    const { thread_id = '', run_id } = call.path;
    return (runsByThread.get(thread_id) ?? [])
      .filter((creation) => precedes(creation.call.exchange, call.exchange))
      .map((creation) => new FollowUp(creation, call))
      .filter(({ run }) => run_id === undefined || textAt(run, 'id') === run_id);
  };
}

/** The messages that the request adds. The specification does not say whether they carry the id of the run. */
function requestedMessages(asked: Json | undefined): readonly Json[] {
  return [...arrayAt(asked, 'additional_messages'), ...arrayAt(asked, 'thread', 'messages')];
}
