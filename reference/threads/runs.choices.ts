import {
  type Alternative,
  type ChoiceTable,
  dropFields,
  elementsOf,
  events,
  field,
  fieldWhere,
  inPlace,
  objectOf,
  reads,
  refuses,
  shown,
} from '../deviations/alternatives.ts';
import { type FaultyEvent, setAtPointer } from '../deviations/changes.ts';
import type { Json, JsonObject } from '../http/json.ts';

const STARTS = ['createRun', 'createThreadAndRun'];
/** Choices that a failed run alone shows. */
const OF_FAILED = [
  'runs.last-error.fields',
  'run-steps.last-error.fields',
  'runs.stream.name-of-failed-run',
  'runs.stream.name-of-failed-step',
];
const messageAlone = (error: Json | undefined): Json =>
  (error ?? null) === null ? null : { message: objectOf(error)['message'] ?? '' };
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

const runChoices: ChoiceTable = {
  'run-steps.calls.code-interpreter': {
    usual: 'code_interpreter, id, type',
    others: { 'id, type': calls((call) => dropFields(call, ['code_interpreter'])) },
  },
  'run-steps.calls.file-search': {
    usual: 'file_search, id, type',
    others: { 'id, type': calls((call) => dropFields(call, ['file_search'])) },
  },
  'run-steps.calls.output-awaited': { usual: 'null', others: { empty: inPlace } },
  'run-steps.status.while-waiting': { usual: 'in_progress', others: { completed: inPlace } },
  'runs.additional-instructions.told': { usual: 'told', others: { 'not told': inPlace } },
  'runs.additional-messages.form': {
    usual: 'accepted',
    others: {
      refused: refuses(['createRun'], ({ body }) => elementsOf(body['additional_messages']).length > 0),
    },
  },
  'runs.assistant.response-format': { usual: 'that of the assistant', others: { 'the default': inPlace } },
  'runs.assistant.temperature': { usual: 'that of the assistant', others: { 'the default': inPlace } },
  'runs.assistant.tool-resources': { usual: 'that of the assistant', others: { 'the default': inPlace } },
  'runs.assistant.top-p': { usual: 'that of the assistant', others: { 'the default': inPlace } },
  'runs.caller-messages.run-id': { usual: 'null', others: { set: inPlace } },
  'runs.expires-at.after-the-end': { usual: 'null', others: { told: inPlace } },
  'runs.incomplete-details.fields': {
    usual: 'reason',
    others: {
      why: field('thread.run', '/incomplete_details', (details) =>
        (details ?? null) === null ? null : { why: objectOf(details)['reason'] ?? null },
      ),
    },
  },
  'runs.new-thread.metadata': ownerOf('metadata'),
  'runs.new-thread.tool-resources': ownerOf('tool_resources'),
  // These drop fields before the two above move them.
  'runs.new-thread.message-fields': {
    usual: 'kept',
    others: {
      ignored: newThread((thread) => ({
        ...thread,
        messages: elementsOf(thread['messages']).map((message) =>
          dropFields(objectOf(message), ['metadata']),
        ),
      })),
    },
  },
  'runs.last-error.fields': {
    usual: 'code, message',
    others: { message: field('thread.run', '/last_error', messageAlone) },
  },
  'run-steps.last-error.fields': {
    usual: 'code, message',
    others: { message: field('thread.run.step', '/last_error', messageAlone) },
  },
  'runs.model.unknown': {
    usual: 'failed',
    others: { refused: { hides: OF_FAILED }, answered: { hides: OF_FAILED } },
  },
  'runs.new-thread.fields-accepted': {
    usual: 'accepted',
    others: {
      refused: {
        ...refuses(['createThreadAndRun'], ({ body }) => {
          const { messages = [], ...others } = objectOf(body['thread']);
          const ofMessages = elementsOf(messages).flatMap((one) => Object.keys(objectOf(one)));
          return Object.keys(others).length > 0 || ofMessages.includes('metadata');
        }),
        hides: ['runs.new-thread.other-fields', 'runs.new-thread.message-fields'],
      },
    },
  },
  'runs.new-thread.other-fields': {
    usual: 'kept',
    others: { ignored: newThread((thread) => dropFields(thread, ['metadata', 'tool_resources'])) },
  },
  'runs.required-action.fields': {
    usual: 'submit_tool_outputs, type',
    others: {
      kind: field('thread.run', '/required_action', (action) =>
        (action ?? null) === null ? null : { kind: objectOf(action)['type'] ?? null },
      ),
    },
  },
  'runs.tool-choice.other-kinds': {
    usual: 'accepted',
    others: {
      refused: refuses(STARTS, ({ body }) => objectOf(body['tool_choice'])['type'] === 'code_interpreter'),
    },
  },
  'runs.truncation.auto': truncation('auto'),
  'runs.truncation.default': { usual: '{type: auto, last_messages: null}', others: { another: inPlace } },
  'runs.truncation.last-messages': truncation('last_messages'),
  'runs.usage.of-steps': {
    usual: 'the sum',
    others: {
      'another number': usage((tokens) => ({
        ...tokens,
        prompt_tokens: Number(tokens['prompt_tokens']) + 3,
        total_tokens: Number(tokens['total_tokens']) + 3,
      })),
    },
  },
  'runs.usage.while-queued': {
    usual: 'null',
    others: { told: fieldWhere('thread.run', ({ status }) => status === 'queued', { usage: NO_USAGE }) },
  },
  'runs.usage.while-waiting': {
    usual: 'null',
    others: {
      told: fieldWhere('thread.run', ({ status }) => status === 'requires_action', { usage: NO_USAGE }),
    },
  },
};

function calls(change: (call: JsonObject) => JsonObject): Alternative {
  const ofTools = (found: Json | undefined): Json | undefined =>
    Array.isArray(found) ? found.map((call) => change(objectOf(call))) : found;
  return {
    shows: {
      ...field('thread.run.step', '/step_details/tool_calls', ofTools).shows,
      ...field('thread.run.step.delta', '/delta/step_details/tool_calls', ofTools).shows,
    },
  };
}

function usage(change: (tokens: JsonObject) => JsonObject): Alternative {
  return shown('thread.run', (run) => ({
    ...run,
    usage:
      run['completed_at'] === null || (run['usage'] ?? null) === null
        ? (run['usage'] ?? null)
        : change(objectOf(run['usage'])),
  }));
}

function newThread(change: (thread: JsonObject) => JsonObject): Alternative {
  return reads(['createThreadAndRun'], (body) =>
    (body['thread'] ?? null) === null ? body : { ...body, thread: change(objectOf(body['thread'])) },
  );
}

/** Moves a top-level field to the thread of the request; a field of the thread itself takes precedence. */
function ownerOf(name: 'metadata' | 'tool_resources') {
  const lent = (body: JsonObject): JsonObject =>
    (body[name] ?? null) === null
      ? body
      : { ...body, thread: { [name]: body[name] ?? null, ...objectOf(body['thread']) } };
  const taken = (body: JsonObject): JsonObject => dropFields(body, [name]);
  return {
    usual: 'the run',
    others: {
      'the thread': reads(['createThreadAndRun'], (body) => taken(lent(body))),
      'the run and the thread': reads(['createThreadAndRun'], lent),
      neither: reads(['createThreadAndRun'], taken),
    },
  };
}

/** Whether a truncation strategy of this type is kept. */
function truncation(type: 'auto' | 'last_messages') {
  const isMeant = (body: JsonObject): boolean => objectOf(body['truncation_strategy'])['type'] === type;
  return {
    usual: 'kept',
    others: {
      changed: reads(STARTS, (body) =>
        isMeant(body) ? { ...body, truncation_strategy: { type: 'last_messages', last_messages: 77 } } : body,
      ),
      refused: refuses(STARTS, ({ body }) => isMeant(body)),
    },
  };
}

const OUTPUT = '/delta/step_details/tool_calls/*/function/output';
const ANNOTATIONS = '/delta/content/*/text/annotations';

/** Why no stream that starts a run shows these states. */
const NOT_STREAMED =
  'a stream that starts a run ends before a caller could cancel it, and long before it expires';

const streamChoices: ChoiceTable = {
  'runs.stream.annotations-in-deltas': {
    usual: 'every one',
    others: {
      none: eachEvent((event) => setIn(event, ANNOTATIONS, () => undefined)),
      'only when there are some': {
        ...eachEvent((event) =>
          setIn(event, ANNOTATIONS, (found) => (elementsOf(found).length === 0 ? undefined : found)),
        ),
        unseen: 'texts of the service have no annotations, so that the deltas have none',
      },
    },
  },
  'runs.stream.deltas-of-tool-steps': {
    usual: 'deltas',
    others: {
      none: events(STARTS, (all) => all.filter((event) => !isToolDelta(event))),
    },
  },
  'runs.stream.done-after-requires-action': {
    usual: 'done',
    others: {
      'no done': events(STARTS, (all) =>
        all.filter(
          (event, i) => event.event !== 'done' || all[i - 1]?.event !== 'thread.run.requires_action',
        ),
      ),
    },
  },
  'runs.stream.first-event': {
    usual: 'thread.created',
    others: {
      'thread.run.created': events(['createThreadAndRun'], ([first, second, ...rest]) =>
        [second, first].flatMap((event) => event ?? []).concat(rest),
      ),
    },
  },
  'runs.stream.message-in-progress-content': {
    usual: 'empty',
    others: {
      'a part of it': eachEvent((event) =>
        event.event === 'thread.message.in_progress'
          ? setIn(event, '/content', [{ type: 'text', text: { value: '', annotations: [] } }])
          : event,
      ),
    },
  },
  'runs.stream.name-of-cancelled-run': named('thread.run', 'cancelled', NOT_STREAMED),
  'runs.stream.name-of-cancelled-step': named('thread.run.step', 'cancelled'),
  'runs.stream.name-of-expired-run': named('thread.run', 'expired', NOT_STREAMED),
  'runs.stream.name-of-expired-step': named('thread.run.step', 'expired', NOT_STREAMED),
  'runs.stream.name-of-failed-run': named('thread.run', 'failed'),
  'runs.stream.name-of-failed-step': named('thread.run.step', 'failed'),
  'runs.stream.name-of-incomplete-message': named('thread.message', 'incomplete'),
  'runs.stream.name-of-incomplete-run': named('thread.run', 'incomplete'),
  'runs.stream.other-events': {
    usual: 'none',
    others: {
      ping: events(STARTS, ([first, ...rest]) =>
        first === undefined ? rest : [first, { event: 'ping', data: {} }, ...rest],
      ),
    },
  },
  'runs.stream.output-in-deltas': {
    usual: 'the first',
    others: {
      'every one': eachEvent((event) => setIn(event, OUTPUT, (output) => output ?? null)),
      none: eachEvent((event) => setIn(event, OUTPUT, () => undefined)),
    },
  },
  'runs.stream.step-of-waiting-calls': {
    usual: 'still in progress',
    others: { 'completed before': inPlace },
  },
};

/** The name of the event that shows something in a state. */
function named(kind: string, state: string, unseen?: string) {
  const renamed = eachEvent((event) =>
    event.event === `${kind}.${state}` ? { ...event, event: `${kind}.ended` } : event,
  );
  const alternative: Alternative = unseen === undefined ? renamed : { ...renamed, unseen };
  return { usual: `${kind}.${state}`, others: { [`${kind}.ended`]: alternative } };
}

function eachEvent(change: (event: FaultyEvent) => FaultyEvent): Alternative {
  return events(STARTS, (all) => all.map(change));
}

function setIn(event: FaultyEvent, pointer: string, value: Parameters<typeof setAtPointer>[2]): FaultyEvent {
  return event.event === 'done' ? event : { ...event, data: setAtPointer(event.data, pointer, value) };
}

/** A delta of a step that uses a built-in tool. */
function isToolDelta({ event, data }: FaultyEvent): boolean {
  if (event !== 'thread.run.step.delta') return false;
  const details = objectOf(objectOf(objectOf(data)['delta'])['step_details']);
  return elementsOf(details['tool_calls']).some((call) => objectOf(call)['type'] !== 'function');
}

export const choices: ChoiceTable = { ...runChoices, ...streamChoices };
