import { Answer } from '../answer.ts';
import type { Call, Handler, Route, Routes } from '../call.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { envelope, page } from '../list.ts';
import { pollAfter } from '../progress.ts';
import { Refusal } from '../refusal.ts';
import { customary, serves } from '../route.ts';
import type { RunEvent } from '../runs/engine.ts';
import type { Metadata } from '../runs/objects.ts';
import { cancelRun, look, needRun, type RunRecord, snapshots, submitOutputs, watch } from '../runs/record.ts';
import { runEvents, showRun } from '../runs/show.ts';
import { needAssistantOf, type RunFields, startRun } from '../runs/start.ts';
import type { Service } from '../service.ts';
import { type NewThread, startThread } from '../threads/start.ts';
import { needThread, showThread, type Thread, threadsOf } from '../threads/store.ts';
import { versionOf } from '../version.ts';

const path = '/v1/threads/{thread_id}/runs';

export const routes: Routes = (service) => {
  const show = ({ work }: RunRecord, call: Call<unknown>) => showRun(work.run, versionOf(call));
  const begin = (record: RunRecord, call: Call<RunFields>, before: readonly RunEvent[]) => {
    if (call.body.stream !== true) return show(record, call);
    const { run } = record.work;
    const first = [
      ...before,
      { event: 'thread.run.created', data: run },
      { event: 'thread.run.queued', data: run },
    ];
    return runEvents(record, snapshots(first), versionOf(call));
  };
  return [
    legacyTools(
      serves<RunFields>('createRun', (call) => {
        const thread = needThread(service, call.path['thread_id']);
        // What the specification gives to the other operation alone is an unknown field here, and not looked at.
        return begin(startRun(service, thread, { ...call.body, tool_resources: null }), call, []);
      }),
    ),
    legacyTools(
      serves<RunFields & { readonly thread?: NewThread | null }>('createThreadAndRun', (call) => {
        needAssistantOf(service, call.body.assistant_id);
        const thread = startThread(service, call.body.thread ?? {}, 'thread');
        const created = { event: 'thread.created', data: showThread(thread) };
        const fields = { ...call.body, additional_instructions: null, additional_messages: null };
        return begin(startOn(service, thread, fields), call, [created]);
      }),
    ),
    like('listRunSteps', path, (call) => {
      const { runs } = needThread(service, call.path['thread_id']);
      for (const record of runs.values()) look(record);
      return envelope(page(runs, call.query), (record) => show(record, call));
    }),
    customary('GET', `${path}/{run_id}`, (call) => {
      const record = needRun(service, call.path);
      watch(record);
      return new Answer(show(record, call), pollAfter(service));
    }),
    like<{ readonly metadata?: Metadata | null }>('modifyMessage', `${path}/{run_id}`, (call) => {
      const record = needRun(service, call.path);
      look(record);
      if (call.body.metadata !== undefined) record.work.run.metadata = call.body.metadata ?? {};
      return show(record, call);
    }),
    customary('POST', `${path}/{run_id}/cancel`, (call) => {
      const record = needRun(service, call.path);
      cancelRun(record);
      return show(record, call);
    }),
    customary('POST', `${path}/{run_id}/submit_tool_outputs`, (call) => {
      const record = needRun(service, call.path);
      const events = submitOutputs(record, readOutputs(call.body));
      return call.body['stream'] === true ? runEvents(record, events, versionOf(call)) : show(record, call);
    }),
  ];
};

/** The thread that was made for a run goes again when the run cannot be. */
function startOn(service: Service, thread: Thread, fields: RunFields): RunRecord {
  try {
    return startRun(service, thread, fields);
  } catch (error) {
    threadsOf(service).delete(thread.id);
    throw error;
  }
}

/** Legacy clients write `retrieval` where the specification has `file_search` for runs. */
const legacyTools = (route: Route): Route => ({
  ...route,
  prepare: (body) => {
    const { tools, tool_choice: choice } = body;
    const named = (tool: Json | undefined): Json =>
      isJsonObject(tool) && tool['type'] === 'retrieval' ? { type: 'file_search' } : (tool ?? null);
    return {
      ...body,
      ...(Array.isArray(tools) ? { tools: tools.map(named) } : {}),
      ...(choice === undefined ? {} : { tool_choice: named(choice) }),
    };
  },
});

/** A customary endpoint that takes the same query and body as an operation of the specification. */
const like = <Body = JsonObject>(operation: string, at: string, handle: Handler<Body>): Route => ({
  ...serves(operation, handle),
  path: at,
});

/** Outputs by call id. @throws Refusal 400 naming the field that is not as it should be. */
function readOutputs(body: JsonObject): ReadonlyMap<string, string> {
  const sent = body['tool_outputs'];
  if (!Array.isArray(sent)) throw Refusal.invalid('tool_outputs', "'tool_outputs' must be an array.");
  return new Map(
    sent.map((item: unknown, n): [string, string] => {
      const { tool_call_id: id, output = '' } = isJsonObject(item) ? item : {};
      const at = `tool_outputs[${n}]`;
      if (typeof id !== 'string')
        throw Refusal.invalid(`${at}.tool_call_id`, `'${at}.tool_call_id' must be a string.`);
      if (typeof output !== 'string')
        throw Refusal.invalid(`${at}.output`, `'${at}.output' must be a string.`);
      return [id, output];
    }),
  );
}
