import { requestOf } from '../../drive/scenario/call-result.ts';
import { type CallResult, ScenarioBlocked, type ScenarioContext } from '../../drive/scenario/scenario.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { createSampleAssistant } from '../assistants/samples.ts';
import { createSampleThread } from '../threads/samples.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';

export const SAMPLE_PROMPT = 'Say assay.';

export function userMessage(content: string): Json {
  return { role: 'user', content };
}

export function createRunAssistant(context: ScenarioContext, fields: JsonObject = {}): Promise<string> {
  return createSampleAssistant(context, 'served', {
    instructions: 'Follow the instructions exactly.',
    ...fields,
  });
}

export function createThreadWithPrompt(
  context: ScenarioContext,
  ...messages: readonly Json[]
): Promise<{ readonly thread_id: string }> {
  return createSampleThread(context, {
    messages: messages.length > 0 ? messages : [userMessage(SAMPLE_PROMPT)],
  });
}

export interface StartedRun {
  /** Id of the exchange that started the run. */
  readonly exchange: string;
  readonly path: { readonly thread_id: string; readonly run_id: string };
  readonly steps: readonly string[];
  readonly messages: readonly string[];
}

/** Reads the ids of the run and its objects from a response. Throws `ScenarioBlocked` if it has no run with ids. */
export function readStartedRun({ exchange, json }: CallResult): StartedRun {
  const stream = exchange.response === null ? null : eventsOf(exchange.response);
  const values = stream === null ? [json] : stream.events.map((event) => event.json?.value);
  const first = values.find((value) => textAt(value, 'object') === 'thread.run');
  const [thread_id, run_id] = [textAt(first, 'thread_id'), textAt(first, 'id')];
  if (thread_id === undefined || run_id === undefined) {
    const obstacle = { kind: 'no-object', ...requestOf(exchange), object: 'thread.run' } as const;
    throw new ScenarioBlocked(exchange.id, obstacle);
  }
  const collectIds = (kind: string): readonly string[] => [
    ...new Set(
      values.flatMap((value) => (textAt(value, 'object') === kind ? (textAt(value, 'id') ?? []) : [])),
    ),
  ];
  return {
    exchange: exchange.id,
    path: { thread_id, run_id },
    steps: collectIds('thread.run.step'),
    messages: collectIds('thread.message'),
  };
}

export function mayLockThread({ ok, exchange: { response } }: CallResult): boolean {
  const stream = response === null ? null : eventsOf(response);
  return ok && stream?.events.some(({ event }) => event === 'thread.run.completed') !== true;
}

/** Statuses of a step that ended without completing its work, after which its run usually ends too. */
const ENDED_EARLY = ['failed', 'cancelled', 'expired'];

/** Whether a step shows a finished message or arguments of a function, or ended so that neither is to be expected. */
export function isAtRest(step: Json): boolean {
  if (ENDED_EARLY.includes(textAt(step, 'status') ?? '')) return true;
  if (textAt(step, 'type') === 'message_creation') return textAt(step, 'status') === 'completed';
  const calls = arrayAt(step, 'step_details', 'tool_calls');
  return calls.some((call) => (textAt(call, 'function', 'arguments') ?? '') !== '');
}

export async function retrieveRunObjects(
  context: ScenarioContext,
  { path, messages }: Pick<StartedRun, 'path' | 'messages'>,
): Promise<void> {
  const { thread_id, run_id } = path;
  const steps = await context.call('listRunSteps', { path });
  for (const step of arrayAt(steps.json, 'data')) {
    const step_id = textAt(step, 'id');
    if (step_id !== undefined) await context.call('retrieveRunStep', { path: { ...path, step_id } });
  }
  const all = await context.call('listMessages', { path: { thread_id } });
  await context.call('listMessages', { path: { thread_id }, query: { run_id } });
  const runMessages = arrayAt(all.json, 'data').filter(
    (message) => valueAtPath(message, 'run_id') === run_id,
  );
  const ids = new Set([...messages, ...runMessages.flatMap((message) => textAt(message, 'id') ?? [])]);
  for (const message_id of ids) await context.call('retrieveMessage', { path: { thread_id, message_id } });
}
