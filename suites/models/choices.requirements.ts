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
});
