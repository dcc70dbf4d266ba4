import {
  acceptAnyValue,
  changeEvents,
  changeResponse,
  ignoreField,
  replaceBody,
  setAtPointer,
  setInEvents,
} from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';

const on = ['createCompletion'];

export const faults: readonly Fault[] = [
  {
    id: 'completions-logit-bias-ignored',
    says: 'ignores logit_bias',
    requirement: 'completions.text.forced-token-repeats',
    on: ['createCompletion'],
    does: ignoreField('logit_bias'),
  },
  {
    id: 'completions-echo-ignored',
    says: 'ignores echo',
    filed: 'raullenchai/Rapid-MLX#461',
    requirement: 'completions.text.echo-begins-with-prompt',
    on,
    does: ignoreField('echo'),
  },
  {
    id: 'completions-stop-ignored',
    says: 'ignores stop',
    filed: 'dphnAI/sonar#742',
    requirement: 'completions.text.stop-left-out',
    on,
    does: ignoreField('stop'),
  },
  {
    id: 'completions-n-ignored',
    says: 'ignores n: there is one choice for each prompt',
    filed: 'InternLM/lmdeploy#4419',
    requirement: 'completions.text.choices-as-asked',
    on,
    does: ignoreField('n'),
  },
  {
    id: 'completions-prompts-lost',
    says: 'completes only the first of several prompts',
    requirement: 'completions.text.each-prompt-continued',
    on,
    does: replaceBody((body) => {
      const first: unknown = Array.isArray(body['prompt']) ? body['prompt'][0] : undefined;
      return typeof first === 'string' ? { ...body, prompt: first } : body;
    }),
  },
  {
    id: 'completions-indexes-same',
    says: 'all choices have the index 0',
    requirement: 'completions.text.indexes-count-up',
    on,
    does: changeResponse((answer) => setAtPointer(answer, '/choices/*/index', 0)),
  },
  {
    id: 'completions-logprobs-missing',
    says: 'omits requested log probabilities',
    filed: 'EricLBuehler/mistral.rs#1876',
    requirement: 'completions.text.logprobs-when-asked',
    on,
    does: ignoreField('logprobs'),
  },
  {
    id: 'completions-logprobs-unchecked',
    says: 'accepts logprobs above 5',
    requirement: 'createCompletion:body.logprobs#maximum.rejected',
    on,
    does: acceptAnyValue('logprobs', (value) => Number(value) > 5),
  },
  {
    id: 'completions-stream-differs',
    says: 'a streamed text differs from the same text without streaming',
    requirement: 'completions.pair.same-text',
    on,
    does: setInEvents('', '/choices/*/text', (text) => String(text).toUpperCase()),
  },
  {
    id: 'completions-done-missing',
    says: 'streams end without [DONE]',
    requirement: 'completions.stream.done-ends-stream',
    on,
    does: changeEvents((events) => events.filter(({ data }) => data !== '[DONE]')),
  },
];
