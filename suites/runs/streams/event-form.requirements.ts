// The form of an event: its stated name and one line of data.

import { overSeveralLines, severalLines } from '../../generate/streams.ts';
import { textAt } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Json, Violation } from '../../vocabulary/types.ts';
import { inEachOperation, renameRunEvents } from './mutations.ts';
import { COMPLETED, runStreams, STREAMING_OPERATIONS, WAITING } from './run-stream.ts';

const { stated } = section('1 Events');

export const runsStreamStatedNames = stated('runs.stream.stated-names', {
  says: 'An event whose data has a stated name appears under that name.',
  selector: where(
    runStreams,
    that('with an event', ({ events, unlisted }) => events.length + unlisted.length > 0),
  ),
  check: (stream) =>
    stream.unlisted.flatMap((event): Violation[] => {
      const due = statedName(event.data);
      const id = textAt(event.data, 'id');
      // Events of other names may report the same once more.
      const isTold = stream.events.some(({ name, data }) => name === due && textAt(data, 'id') === id);
      return due === undefined || isTold ? [] : [violation(event.at, due, event.name)];
    }),
  mutations: {
    'another name of the completion': renameRunEvents(COMPLETED, 'thread.run.done'),
    'another name of waiting': renameRunEvents(WAITING, 'thread.run.action_required'),
    'another name of the end of a message': renameRunEvents(
      'thread.message.completed',
      'thread.message.done',
    ),
    'another name of the end of a step': renameRunEvents('thread.run.step.completed', 'thread.run.step.done'),
  },
});

export const runsStreamOneDataLine = stated('runs.stream.one-data-line', {
  says: 'Each event is its name and one line of data.',
  selector: runStreams,
  check: ({ events }) => severalLines(events),
  mutations: {
    'over several lines': inEachOperation(STREAMING_OPERATIONS, (operation) => overSeveralLines(operation)),
    'only the first of them': inEachOperation(STREAMING_OPERATIONS, (operation) =>
      overSeveralLines(operation, 'first'),
    ),
  },
});

/** The name that the specification gives to the event with this data; undefined where it gives none. */
function statedName(data: Json | undefined): string | undefined {
  const [object, status] = [textAt(data, 'object'), textAt(data, 'status')];
  if (object === 'thread.run' && (status === 'completed' || status === 'requires_action'))
    return `thread.run.${status}`;
  const isPart = object === 'thread.run.step' || object === 'thread.message';
  return isPart && status === 'completed' ? `${object}.completed` : undefined;
}
