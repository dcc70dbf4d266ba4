import { isObject, valueAtPath } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import { joinedMessageText } from '../streams/deltas.ts';
import { setInRunEvents } from '../streams/mutations.ts';
import { COMPLETED, type RunStream, type RunStreamEvent, runStreamsWith } from '../streams/run-stream.ts';

const { stated } = section('1 Assistant');
const MESSAGE = 'thread.message.completed';

const withCompleted = that<RunStream>('with a completed message', (stream) => completed(stream).length > 0);

export const runsJsonModeMessageIsJson = stated('runs.json-mode.message-is-json', {
  says: 'In JSON mode the message of a run that completes is valid JSON.',
  selector: where(runStreamsWith(COMPLETED), that('in JSON mode', isJsonMode), withCompleted),
  check: (stream) =>
    completed(stream)
      .filter(({ data }) => !isJson(joinedMessageText(data)))
      .map(({ at, data }) => violation(`${at} /content`, 'JSON', joinedMessageText(data))),
  mutations: {
    prose: setInRunEvents(MESSAGE, '/content/0/text/value', 'Here you are.'),
    'half of it': setInRunEvents(MESSAGE, '/content/0/text/value', '{"word": "ass'),
    nothing: setInRunEvents(MESSAGE, '/content', []),
    'prose around it': setInRunEvents(
      MESSAGE,
      '/content/0/text/value',
      (old) => `Here you are: ${String(old)}`,
    ),
  },
});

function isJsonMode({ runs: [run] }: RunStream): boolean {
  const format = valueAtPath(run?.data, 'response_format');
  return isObject(format) && format['type'] === 'json_object';
}

function completed({ messages }: RunStream): readonly RunStreamEvent[] {
  return messages.flatMap(({ events }) => events.filter(({ name }) => name === MESSAGE));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
