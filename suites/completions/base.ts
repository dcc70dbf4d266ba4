import type { ModelRole, ScenarioContext } from '../../drive/scenario/scenario.ts';
import { baseRequest, type ReadyRequest, type RequestFields } from '../generate/base.ts';
import { say, tokens } from './samples.ts';

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
    fields: { model: context.model(role), prompt: say },
    cheap: { max_tokens: 4 },
    companions: (field) => companions[field] ?? {},
    samples: {
      'prompt(array)': () => [say, 'Say again.'],
      'prompt(array)[]': () => say,
      'prompt(array)[array]': () => tokens,
      'prompt(array)[array][]': (i) => tokens[i] ?? 40,
      best_of: () => 2,
      logit_bias: () => ({ '1': 1 }),
      logprobs: () => 2,
      suffix: () => ', they said.',
    },
    rules: {
      'x-greater-than': [
        { control: { best_of: 2, n: 1 }, violation: { best_of: 1, n: 2 } },
        { control: { best_of: 3, n: 2 }, violation: { best_of: 2, n: 2 } },
      ],
      'best-of-is-not-streamed': [{ control: { best_of: 2, n: 1, stream: false } }],
      'stream-options-need-stream': [
        {
          control: { stream: true, stream_options: { include_usage: true } },
          violation: { stream: false, stream_options: { include_usage: true } },
        },
      ],
    },
  };
}

/** Further fields that a valid request with this field has. */
const companions: Readonly<Record<string, RequestFields>> = {
  best_of: { n: 1 },
  stream_options: { stream: true },
};
