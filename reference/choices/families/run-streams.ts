// 1 Events: the events of a run's stream.

import { setAtPointer } from '../../faults/edit.ts';
import type { FaultyEvent } from '../../faults/responses.ts';
import type { Alternative, ChoiceTable } from '../alternative.ts';
import { elementsOf, events, inPlace, objectOf } from '../shapes.ts';

const STARTS = ['createRun', 'createThreadAndRun'];
const OUTPUT = '/delta/step_details/tool_calls/*/function/output';
const ANNOTATIONS = '/delta/content/*/text/annotations';

/** Why no run of the reference shows these states in the stream of a request that starts it. */
const NOT_STREAMED =
  'a stream that starts a run ends before a caller could cancel it, and long before it expires';

export const choices: ChoiceTable = {
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
