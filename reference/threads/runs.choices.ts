import {
  type Alternative,
  type ChoiceTable,
  dropFields,
  elementsOf,
  events,
  field,
  objectOf,
  reads,
  refuses,
} from '../deviations/alternatives.ts';
import type { FaultyEvent } from '../deviations/changes.ts';
import type { JsonObject } from '../http/json.ts';

const STARTS = ['createRun', 'createThreadAndRun'];

const runChoices: ChoiceTable = {
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
};

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

const streamChoices: ChoiceTable = {
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
  'runs.stream.other-events': {
    usual: 'none',
    others: {
      ping: events(STARTS, ([first, ...rest]) =>
        first === undefined ? rest : [first, { event: 'ping', data: {} }, ...rest],
      ),
    },
  },
};

/** A delta of a step that uses a built-in tool. */
function isToolDelta({ event, data }: FaultyEvent): boolean {
  if (event !== 'thread.run.step.delta') return false;
  const details = objectOf(objectOf(objectOf(data)['delta'])['step_details']);
  return elementsOf(details['tool_calls']).some((call) => objectOf(call)['type'] !== 'function');
}

export const choices: ChoiceTable = { ...runChoices, ...streamChoices };
