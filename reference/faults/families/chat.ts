import { setAtPointer } from '../edit.ts';
import type { Fault } from '../fault.ts';
import { acceptAnyValue, forceOtherFunction, ignoreField, rejectValid, replaceBody } from '../requests.ts';
import { changeEvents, setInEvents, setInResponse } from '../responses.ts';

const on = ['createChatCompletion'];

export const faults: readonly Fault[] = [
  {
    id: 'chat-logit-bias-ignored',
    says: 'ignores logit_bias',
    requirement: 'chat.reply.forced-token-repeats',
    on: ['createChatCompletion'],
    does: ignoreField('logit_bias'),
  },
  {
    id: 'chat-role-empty',
    says: 'the role in deltas is empty',
    filed: 'MiniMax-AI/MiniMax-M2.5#2',
    requirement: 'chat.stream.role-told',
    on,
    does: setInEvents('', '/choices/*/delta/role', ''),
  },
  {
    id: 'chat-says-nothing',
    says: 'messages have neither content nor tool calls',
    requirement: 'chat.reply.text-or-calls',
    on,
    does: setInResponse('/choices/*/message/content', null),
  },
  {
    id: 'chat-stop-ignored',
    says: 'ignores stop',
    filed: 'vllm-project/vllm#3572',
    requirement: 'chat.reply.nothing-after-stop',
    on,
    does: ignoreField('stop'),
  },
  {
    id: 'chat-n-ignored',
    says: 'ignores n: there is always one choice',
    filed: 'abetlen/llama-cpp-python#1906',
    requirement: 'chat.reply.choices-as-asked',
    on,
    does: ignoreField('n'),
  },
  {
    id: 'chat-max-tokens-ignored',
    says: 'replies exceed max_tokens',
    requirement: 'chat.reply.tokens-bounded',
    on,
    does: ignoreField('max_tokens'),
  },
  {
    id: 'chat-forced-function-not-called',
    says: 'calls another function than the one that tool_choice names',
    filed: 'ggml-org/llama.cpp#28806',
    requirement: 'chat.tools.forced-function-called',
    on,
    does: forceOtherFunction(),
  },
  {
    id: 'chat-tool-choice-none-ignored',
    says: 'calls a function although tool_choice forbids it',
    filed: 'google-ai-edge/LiteRT-LM#2471',
    requirement: 'chat.tools.none-calls-none',
    on,
    does: replaceBody((body) =>
      body['tool_choice'] === 'none' ? { ...body, tool_choice: 'required' } : body,
    ),
  },
  {
    id: 'chat-arguments-no-json',
    says: 'arguments of function calls lack their closing brace',
    requirement: 'chat.tools.arguments-are-json',
    on,
    does: setInResponse('/choices/*/message/tool_calls/*/function/arguments', (text) =>
      String(text).slice(0, -1),
    ),
  },
  {
    id: 'chat-json-mode-ignored',
    says: 'replies in JSON mode are plain text',
    requirement: 'chat.reply.json-mode-is-json',
    on,
    does: ignoreField('response_format'),
  },
  {
    id: 'chat-logprobs-missing',
    says: 'omits requested log probabilities',
    requirement: 'chat.reply.logprobs-when-asked',
    on,
    does: ignoreField('logprobs', 'top_logprobs'),
  },
  {
    id: 'chat-usage-missing',
    says: 'replies lack usage',
    requirement: 'chat.completion:usage#required',
    on,
    does: setInResponse('/usage', () => undefined),
  },
  {
    id: 'chat-ids-repeat',
    says: 'all replies have the same id',
    requirement: 'chat.reply.id-unique',
    on,
    does: setInResponse('/id', 'chatcmpl-1'),
  },
  {
    id: 'chat-stream-differs',
    says: 'a streamed reply differs from the same reply without streaming',
    requirement: 'chat.pair.same-text',
    on,
    does: setInEvents('', '/choices/*/delta/content', (text) =>
      typeof text === 'string' ? text.toUpperCase() : text,
    ),
  },
  {
    id: 'chat-delta-lost',
    says: 'streams lack their second chunk',
    requirement: 'chat.pair.same-text',
    on,
    does: changeEvents((events) => events.filter((_, i) => i !== 1)),
  },
  {
    id: 'chat-done-missing',
    says: 'streams end without [DONE]',
    filed: 'perplexityai/api-discussion#209',
    requirement: 'chat.stream.done-ends-stream',
    on,
    does: changeEvents((events) => events.filter(({ data }) => data !== '[DONE]')),
  },
  {
    id: 'chat-finish-reason-early',
    says: 'every chunk of a stream has a finish_reason',
    requirement: 'chat.stream.finish-reason-ends-choice',
    on,
    does: setInEvents('', '/choices/*/finish_reason', 'stop'),
  },
  {
    id: 'chat-stream-ids-differ',
    says: 'each chunk of a stream has a different id',
    filed: 'BerriAI/litellm#1571',
    requirement: 'chat.stream.same-id',
    on,
    does: changeEvents((events) =>
      events.map((event, i) => ({ ...event, data: setAtPointer(event.data, '/id', (id) => `${id}${i}`) })),
    ),
  },
  {
    id: 'chat-usage-unasked',
    says: 'streams contain usage that was not requested',
    filed: 'nguyenphutrong/quotio#460',
    requirement: 'chat.stream.usage-only-when-asked',
    on,
    does: replaceBody((body) =>
      body['stream'] === true ? { ...body, stream_options: { include_usage: true } } : body,
    ),
  },
  {
    id: 'chat-usage-chunk-missing',
    says: 'streams lack usage that was requested',
    requirement: 'chat.stream.usage-when-asked',
    on,
    does: ignoreField('stream_options'),
  },
  {
    id: 'chat-temperature-unchecked',
    says: 'accepts a temperature above 2',
    requirement: 'createChatCompletion:body.temperature#maximum.rejected',
    on,
    does: acceptAnyValue('temperature', (value) => Number(value) > 2),
  },
  {
    id: 'chat-temperature-refused',
    says: 'rejects a temperature of 2',
    requirement: 'createChatCompletion:body.temperature#maximum.accepted',
    on,
    does: rejectValid('temperature', (value) => value === 2),
  },
];
