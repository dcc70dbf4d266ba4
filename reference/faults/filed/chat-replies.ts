import { changeResponse, setAtPointer, setInResponse } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { isJsonObject, type Json } from '../../http/json.ts';

const on = ['createChatCompletion'];

export const faults: readonly Fault[] = [
  {
    id: 'chat-id-missing',
    says: 'replies lack id and created',
    filed: 'mudler/LocalAI#1103',
    requirement: 'chat.completion:id#required',
    on,
    does: changeResponse((reply) => withoutFields(reply, ['id', 'created'])),
  },
  {
    id: 'chat-finish-reason-missing',
    says: 'choices of replies lack finish_reason',
    filed: 'mudler/LocalAI#788',
    requirement: 'chat.completion:choices[].finish_reason#required',
    on,
    does: setInResponse('/choices/*/finish_reason', () => undefined),
  },
  {
    id: 'chat-only-choices',
    says: 'replies consist of choices alone',
    filed: 'guardrails-ai/guardrails#1415',
    requirement: 'chat.completion:object#required',
    on,
    does: changeResponse((reply) => ({ choices: isJsonObject(reply) ? (reply['choices'] ?? []) : [] })),
  },
  {
    id: 'chat-usage-null',
    says: 'usage of replies is null',
    filed: 'openai/openai-python#1145',
    requirement: 'usage:#type',
    on,
    does: setInResponse('/usage', null),
  },
  {
    id: 'chat-labelled-as-completion',
    says: 'the object of replies is text_completion',
    filed: 'huggingface/text-generation-inference#1682',
    requirement: 'chat.completion:object#const',
    on,
    does: setInResponse('/object', 'text_completion'),
  },
  {
    id: 'chat-logprobs-of-completions',
    says: 'log probabilities have the form of those of text completions',
    filed: 'vllm-project/vllm#3179',
    requirement: 'chat.logprobs:content#required',
    on,
    does: setInResponse('/choices/*/logprobs', (logprobs) =>
      isJsonObject(logprobs)
        ? { text_offset: [0], token_logprobs: [-0.5], tokens: ['as'], top_logprobs: [{ as: -0.5 }] }
        : logprobs,
    ),
  },
  {
    id: 'chat-json-fenced',
    says: 'replies in JSON mode are in a Markdown code block',
    filed: 'Arthur-Ficial/apfel#101',
    requirement: 'chat.reply.json-mode-is-json',
    on,
    does: changeResponse((reply, { body }) =>
      isJsonObject(body['response_format'])
        ? setAtPointer(reply, '/choices/*/message/content', (text) => `\`\`\`json\n${text}\n\`\`\``)
        : reply,
    ),
  },
  {
    id: 'chat-calls-announced-none-made',
    says: 'replies with the finish_reason tool_calls have neither calls nor content',
    filed: 'vllm-project/vllm#53255',
    requirement: 'chat.reply.text-or-calls',
    on,
    does: setInResponse('/choices/*', (choice) =>
      isJsonObject(choice) && choice['finish_reason'] === 'tool_calls'
        ? setAtPointer(choice, '/message/tool_calls', [])
        : choice,
    ),
  },
  {
    id: 'chat-call-id-empty',
    says: 'the ids of function calls are empty',
    filed: 'lmstudio-ai/lmstudio-bug-tracker#830',
    requirement: 'chat.tools.call-ids-set',
    on,
    does: setInResponse('/choices/*/message/tool_calls/*/id', ''),
  },
  {
    id: 'chat-call-id-missing',
    says: 'function calls lack id',
    filed: 'ggml-org/llama.cpp#11992',
    requirement: 'chat.tool_call:id#required',
    on,
    does: setInResponse('/choices/*/message/tool_calls/*/id', () => undefined),
  },
  {
    id: 'chat-arguments-as-object',
    says: 'the arguments of function calls are an object instead of JSON text',
    filed: 'ggml-org/llama.cpp#20198',
    requirement: 'chat.tool_call:function.arguments#type',
    on,
    does: setInResponse('/choices/*/message/tool_calls/*/function/arguments', (text) =>
      typeof text === 'string' ? JSON.parse(text) : text,
    ),
  },
];

/** A copy of an object without some of its fields. */
function withoutFields(value: Json, names: readonly string[]): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
