import { crashOnValid, rejectValid } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { ApiError } from '../../http/api-error.ts';
import { isJsonObject, type Json } from '../../http/json.ts';

const on = ['createChatCompletion'];

export const faults: readonly Fault[] = [
  {
    id: 'chat-null-temperature-refused',
    says: 'rejects null as temperature',
    filed: 'ggml-org/llama.cpp#25515',
    requirement: 'createChatCompletion:body.temperature#type.accepted',
    on,
    does: rejectValid('temperature', (value) => value === null),
  },
  {
    id: 'chat-null-seed-crashes',
    says: 'answers 500 if seed is null',
    filed: 'LostRuins/koboldcpp#1503',
    requirement: 'createChatCompletion:body.seed#type.accepted',
    on,
    does: crashOnValid('seed', (value) => value === null),
  },
  {
    id: 'chat-null-max-tokens-crashes',
    says: 'answers 500 if max_tokens is null',
    filed: 'getumbrel/llama-gpt#113',
    requirement: 'createChatCompletion:body.max_tokens#type.accepted',
    on,
    does: crashOnValid('max_tokens', (value) => value === null),
  },
  {
    id: 'chat-parts-refused',
    says: 'rejects messages whose content is a list of parts',
    filed: 'lemonade-sdk/lemonade#629',
    requirement: 'createChatCompletion:body.messages[].content#type.accepted',
    on,
    does: rejectValid(
      'messages',
      someContent((content) => Array.isArray(content)),
    ),
  },
  {
    id: 'chat-parts-crash',
    says: 'answers 500 if the content of a message is a list of parts',
    filed: 'infiniflow/ragflow#15359',
    requirement: 'createChatCompletion:body.messages[].content#type.accepted',
    on,
    does: crashOnValid(
      'messages',
      someContent((content) => Array.isArray(content)),
    ),
  },
  {
    id: 'chat-json-mode-refused',
    says: 'rejects the response_format json_object',
    filed: 'lmstudio-ai/lmstudio-bug-tracker#189',
    requirement: 'createChatCompletion:body.response_format#type.accepted',
    on,
    does: rejectValid('response_format', (format) => isJsonObject(format)),
  },
  {
    id: 'chat-logprobs-alone-refused',
    says: 'rejects logprobs without top_logprobs',
    filed: 'vllm-project/vllm#4795',
    requirement: 'createChatCompletion:body.logprobs#type.accepted',
    on,
    does: {
      handle: (request, proceed) => {
        const { logprobs, top_logprobs: top } = request.body;
        if (logprobs !== true || typeof top === 'number') return proceed(request);
        throw ApiError.invalid('top_logprobs', "'logprobs' needs 'top_logprobs'.");
      },
    },
  },
];

/** True for messages of which one has such a content. */
function someContent(isSuch: (content: Json | undefined) => boolean): (messages: Json) => boolean {
  return (messages) =>
    Array.isArray(messages) && messages.some((one: Json) => isJsonObject(one) && isSuch(one['content']));
}
