import { requestOf } from '../../drive/answer.ts';
import { type Answer, Blocked, type CallInput, type Stage } from '../../drive/scenario.ts';
import type { Json } from '../../exchange/body.ts';
import { events } from '../../exchange/events.ts';
import { get, list, text } from '../../judge/json.ts';
import { assistant } from '../assistants/samples.ts';
import { type Fields, thread } from '../threads/samples.ts';

/** A short answer, whoever gives it. */
export const SAY = 'Say "assay".';

export function user(content: string): Json {
  return { role: 'user', content };
}

/** An assistant in the beta form, as runs need it; gives its id. */
export function runner(stage: Stage, fields: Fields = {}): Promise<string> {
  return assistant(stage, 'v2', { instructions: 'Do exactly what you are told.', ...fields });
}

/** A thread with these messages; gives the ids of its path. */
export function asking(stage: Stage, ...messages: readonly Json[]): Promise<{ readonly thread_id: string }> {
  return thread(stage, { messages: messages.length > 0 ? messages : [user(SAY)] });
}

/** What a run has brought forth, as far as its stream, or its first answer, tells. */
export interface Begun {
  /** Id of the exchange that told. */
  readonly by: string;
  readonly path: { readonly thread_id: string; readonly run_id: string };
  readonly steps: readonly string[];
  readonly messages: readonly string[];
}

/** Creates a run; what follows needs its id. */
export async function run(
  stage: Stage,
  operation: 'createRun' | 'createThreadAndRun',
  input: CallInput,
): Promise<Begun> {
  return begun(await stage.need(operation, input));
}

/** The ids that an answer tells. @throws Blocked where it tells of no run. */
export function begun({ exchange, json }: Answer): Begun {
  const stream = exchange.response === null ? null : events(exchange.response);
  const told = stream === null ? [json] : stream.events.map((event) => event.json?.value);
  const first = told.find((value) => text(value, 'object') === 'thread.run');
  const [thread_id, run_id] = [text(first, 'thread_id'), text(first, 'id')];
  if (thread_id === undefined || run_id === undefined) {
    throw new Blocked(exchange.id, { kind: 'no-object', ...requestOf(exchange), object: 'thread.run' });
  }
  const ids = (kind: string): readonly string[] => [
    ...new Set(told.flatMap((value) => (text(value, 'object') === kind ? (text(value, 'id') ?? []) : []))),
  ];
  return {
    by: exchange.id,
    path: { thread_id, run_id },
    steps: ids('thread.run.step'),
    messages: ids('thread.message'),
  };
}

/** Whether a run may still be under way after this answer, so that its thread is not free for another one. */
export function isUnderWay({ ok, exchange: { response } }: Answer): boolean {
  const told = response === null ? null : events(response);
  return ok && told?.events.some(({ event }) => event === 'thread.run.completed') !== true;
}

/** Waits until the steps of a run that is not streamed are at rest: a message is written, or functions are called. */
export async function rested(stage: Stage, { path }: Begun): Promise<Answer> {
  return stage.poll('listRunSteps', { path }, (answer) => list(answer, 'data').some(isAtRest));
}

function isAtRest(step: Json): boolean {
  if (text(step, 'type') === 'message_creation') return text(step, 'status') === 'completed';
  const calls = list(step, 'step_details', 'tool_calls');
  return calls.some((call) => (text(call, 'function', 'arguments') ?? '') !== '');
}

/** Looks at all that a run has left. */
export async function look(stage: Stage, { path, messages }: Begun): Promise<void> {
  const { thread_id, run_id } = path;
  const steps = await stage.call('listRunSteps', { path });
  for (const step of list(steps.json, 'data')) {
    const step_id = text(step, 'id');
    if (step_id !== undefined) await stage.call('retrieveRunStep', { path: { ...path, step_id } });
  }
  const all = await stage.call('listMessages', { path: { thread_id } });
  await stage.call('listMessages', { path: { thread_id }, query: { run_id } });
  const written = list(all.json, 'data').filter((one) => get(one, 'run_id') === run_id);
  const ids = new Set([...messages, ...written.flatMap((one) => text(one, 'id') ?? [])]);
  for (const message_id of ids) await stage.call('retrieveMessage', { path: { thread_id, message_id } });
}
