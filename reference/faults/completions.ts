import {
  changeEvents,
  changeResponse,
  ignoreField,
  rejectValid,
  setAtPointer,
  setInResponse,
} from '../deviations/changes.ts';
import type { Fault } from '../deviations/hooks.ts';
import { isJsonObject, type Json } from '../http/json.ts';

const on = ['createCompletion'];

export const faults: readonly Fault[] = [
  {
    id: 'completions-labelled-chat',
    says: 'the object of completions is chat',
    filed: 'tensorchord/modelz-llm#83',
    requirement: 'text_completion:object#const',
    on,
    does: setInResponse('/object', 'chat'),
  },
  {
    id: 'completions-created-as-text',
    says: 'created of completions is an ISO 8601 text',
    filed: 'tensorchord/modelz-llm#83',
    requirement: 'text_completion:created#type',
    on,
    does: setInResponse('/created', (time) => new Date(Number(time) * 1000).toISOString()),
  },
  {
    id: 'completions-in-messages',
    says: 'choices of completions have a message instead of a text',
    filed: 'acon96/home-llm#26',
    requirement: 'text_completion:choices[].text#required',
    on,
    does: setInResponse('/choices/*', (choice) =>
      isJsonObject(choice)
        ? {
            index: choice['index'] ?? 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: choice['text'] ?? null },
          }
        : choice,
    ),
  },
  {
    id: 'completions-pieces-bare',
    says: 'pieces of a stream lack id, created and the index of their choice',
    filed: 'mudler/LocalAI#648',
    requirement: 'text_completion.chunk:choices[].index#required',
    on,
    does: changeEvents((events) =>
      events.map((event) => ({
        ...event,
        data: ['/id', '/created', '/choices/*/index'].reduce<Json>(
          (data, pointer) => setAtPointer(data, pointer, () => undefined),
          event.data,
        ),
      })),
    ),
  },
  {
    id: 'completions-stop-kept',
    says: 'texts that a stop sequence ends contain it',
    filed: 'vllm-project/vllm#57052',
    requirement: 'completions.text.stop-left-out',
    on,
    does: changeResponse((answer, { body }) => {
      const stop = Array.isArray(body['stop']) ? body['stop'][0] : body['stop'];
      return typeof stop === 'string'
        ? setAtPointer(answer, '/choices/*/text', (text) => `${text}${stop}`)
        : answer;
    }),
  },
  {
    id: 'completions-logprobs-of-first-prompt',
    says: 'of several prompts only the first gets log probabilities',
    filed: 'PaddlePaddle/FastDeploy#3618',
    requirement: 'completions.text.logprobs-when-asked',
    on,
    does: setInResponse('/choices/*', (choice) =>
      isJsonObject(choice) && choice['index'] !== 0 ? { ...choice, logprobs: null } : choice,
    ),
  },
  {
    id: 'completions-logprobs-number-refused',
    says: 'rejects a number as logprobs',
    filed: 'raullenchai/Rapid-MLX#733',
    requirement: 'createCompletion:body.logprobs#type.accepted',
    on,
    does: rejectValid('logprobs', (value) => typeof value === 'number'),
  },
  {
    id: 'completions-stream-error-last',
    says: 'streams end with an error object as data, without [DONE]',
    filed: 'open-octo/octo-agent#910',
    requirement: 'completions.stream.done-ends-stream',
    on,
    does: changeEvents((events) => [
      ...events.slice(0, 2),
      { event: '', data: { error: { message: 'Internal server error', type: 'api_error' } } },
    ]),
  },
  {
    id: 'completions-one-text-for-all',
    says: 'there is one choice without log probabilities, whatever n and logprobs are',
    filed: 'BerriAI/litellm#2796',
    requirement: 'completions.text.choices-as-asked',
    on,
    does: ignoreField('n', 'best_of', 'logprobs'),
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
    id: 'completions-logprobs-missing',
    says: 'omits requested log probabilities',
    filed: 'EricLBuehler/mistral.rs#1876',
    requirement: 'completions.text.logprobs-when-asked',
    on,
    does: ignoreField('logprobs'),
  },
];
