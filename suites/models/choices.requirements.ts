import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { list, number } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';

export const order = choice({
  id: 'models.list.order',
  spec: '2 Models',
  says: 'In which order models are listed.',
  alternatives: ['oldest first', 'newest first', 'neither'],
  on: only(answers('listModels'), ({ answer }) => list(answer, 'data').length > 1),
  taken: ({ answer }) => {
    const times = list(answer, 'data').map((one) => number(one, 'created') ?? 0);
    if (times.every((time) => time === times[0])) return null;
    if (times.every((time, i) => i === 0 || (times[i - 1] ?? 0) <= time)) return 'oldest first';
    return times.every((time, i) => i === 0 || (times[i - 1] ?? 0) >= time) ? 'newest first' : 'neither';
  },
  examples: {
    'newest first': inAnswer('listModels', put('/data', falling)),
    neither: inAnswer(
      'listModels',
      put('/data', (data) => [...list(falling(data)), ...list(falling(data))]),
    ),
  },
});

/** Two models that were made one after the other, the later one first. */
function falling(data: Json | undefined): Json {
  const [model = null] = list(data);
  return [put('/created', 2)(model), put('/created', 1)(model)];
}
