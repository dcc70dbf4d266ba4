import type { Json } from '../../exchange/http/body.ts';
import { arrayAt, numberAt } from '../../judge/evidence/json.ts';
import { responses, where } from '../../judge/evidence/selectors/answers.ts';
import { inResponse } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';

const { choice } = section('2 Models');

export const modelsListOrder = choice('models.list.order', {
  says: 'The order in which models are listed.',
  alternatives: ['oldest first', 'newest first', 'neither'],
  selector: where(responses('listModels'), ({ json: answer }) => arrayAt(answer, 'data').length > 1),
  taken: ({ json: answer }) => {
    const times = arrayAt(answer, 'data').map((one) => numberAt(one, 'created') ?? 0);
    if (times.every((time) => time === times[0])) return null;
    if (times.every((time, i) => i === 0 || (times[i - 1] ?? 0) <= time)) return 'oldest first';
    return times.every((time, i) => i === 0 || (times[i - 1] ?? 0) >= time) ? 'newest first' : 'neither';
  },
  examples: {
    'newest first': inResponse('listModels', setValue('/data', falling)),
    neither: inResponse(
      'listModels',
      setValue('/data', (data) => [...arrayAt(falling(data)), ...arrayAt(falling(data))]),
    ),
  },
});

/** Two models that were created one after the other, the later one first. */
function falling(data: Json | undefined): Json {
  const [model = null] = arrayAt(data);
  return [setValue('/created', 2)(model), setValue('/created', 1)(model)];
}
