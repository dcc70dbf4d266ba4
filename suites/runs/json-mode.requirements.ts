import { put } from '../../judge/edit/values.ts';
import { get, isObject } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { named, retold } from './breaking.ts';
import { textOf } from './deltas.ts';
import { COMPLETED, type Tale, type Told, talesOf } from './tale.ts';

const MESSAGE = 'thread.message.completed';

export const jsonMode = requirement({
  id: 'runs.json-mode.message-is-json',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Assistant',
  says: 'In JSON mode the message of a run that completes is valid JSON.',
  on: only(talesOf(COMPLETED), (tale) => isJsonMode(tale) && completed(tale).length > 0),
  check: (tale) =>
    completed(tale)
      .filter(({ data }) => !isJson(textOf(data)))
      .map(({ at, data }) => ({ at: `${at} /content`, expected: 'JSON', actual: textOf(data) })),
  breaks: {
    prose: retold(named(MESSAGE), put('/content/0/text/value', 'Here you are.')),
    'half of it': retold(named(MESSAGE), put('/content/0/text/value', '{"word": "ass')),
    nothing: retold(named(MESSAGE), put('/content', [])),
    'prose around it': retold(
      named(MESSAGE),
      put('/content/0/text/value', (old) => `Here you are: ${String(old)}`),
    ),
  },
});

function isJsonMode({ runs: [run] }: Tale): boolean {
  const format = get(run?.data, 'response_format');
  return isObject(format) && format['type'] === 'json_object';
}

function completed({ messages }: Tale): readonly Told[] {
  return messages.flatMap(({ told }) => told.filter(({ name }) => name === MESSAGE));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
