import type { ModelRole, ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest } from '../generate/requests.ts';

/** Small numbers are tokens of every model. */
const tokens = [40, 41, 42];

export const createCompletion = baseRequest({
  operation: 'createCompletion',
  ready: (context) => ready(context, 'completion'),
});

/** Only an instruct model accepts a suffix. */
export const createCompletionWithSuffix = baseRequest({
  operation: 'createCompletion',
  roles: ['suffix-completion'],
  only: ['body.suffix*'],
  ready: (context) => ready(context, 'suffix-completion'),
});

function ready(context: ScenarioContext, role: ModelRole): ReadyRequest {
  return {
    fields: { model: context.model(role) },
    samples: { 'prompt(array)[array][]': (i) => tokens[i] ?? 40 },
  };
}
