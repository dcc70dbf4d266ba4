import { choiceOf } from '../rows/rows.ts';
import { setIn, setValue } from '../vocabulary/changes.ts';
import { listOrder } from '../vocabulary/choice-shapes.ts';
import { arrayAt } from '../vocabulary/json.ts';
import type { Json, ResponseEvidence } from '../vocabulary/types.ts';

export const modelsListOrder = choiceOf<ResponseEvidence>('models.list.order', {
  taken: listOrder('created'),
  examples: {
    'newest first': setIn('listModels', '/data', falling),
    neither: setIn('listModels', '/data', (data) => [...arrayAt(falling(data)), ...arrayAt(falling(data))]),
  },
});

/** Two models that were created one after the other, the later one first. */
function falling(data: Json | undefined): Json {
  const [model = null] = arrayAt(data);
  return [setValue('/created', 2)(model), setValue('/created', 1)(model)];
}
