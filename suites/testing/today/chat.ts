import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { TodayCase } from './case.ts';
import { chunk, completion, lookUpTool } from './objects.ts';

const messages = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
];

function chat(sent: JsonObject, answer: JsonObject): Sketch {
  return { call: 'POST /v1/chat/completions', sent: { model: 'gpt-4o', messages, ...sent }, answer };
}

function stream(...events: readonly (JsonObject | string)[]): Sketch {
  const sent = { model: 'gpt-4o', messages, stream: true, stream_options: { include_usage: true } };
  return { call: 'POST /v1/chat/completions', sent, events };
}

const toolCallMessage = {
  content: null,
  tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'look_up', arguments: '{}' } }],
};
const token = (bytes: readonly (number | string)[]) => ({ token: 'H', logprob: -0.1, bytes });
const logprobs = (bytes: readonly (number | string)[]) => ({
  content: [{ ...token(bytes), top_logprobs: [token([72])] }],
  refusal: null,
});
const customTool = { type: 'custom', custom: { name: 'code', format: { type: 'text' } } };
const customCall = { id: 'call_a', type: 'custom', custom: { name: 'code', input: 'print(1)' } };

const wrongPlainChat = chat({}, completion({}, {}, { id: 'chatcmpl-b', created: 'now' }));
const CREATED = 'chat.completion:created#type';

export const CHAT_CASES: readonly TodayCase[] = [
  {
    name: 'developer role and fields of newer models',
    traffic: [
      chat(
        {
          max_completion_tokens: 20,
          reasoning_effort: 'low',
          verbosity: 'low',
          store: true,
          metadata: { key: 'a' },
          service_tier: 'auto',
          parallel_tool_calls: true,
          prompt_cache_key: 'a',
          safety_identifier: 'a',
        },
        completion(),
      ),
    ],
    wrong: chat({ max_completion_tokens: 20 }, completion({}, { index: 'first' })),
    breaks: 'chat.completion:choices[].index#type',
  },
  {
    name: 'a reasoning model that spent its tokens on thinking',
    traffic: [
      chat(
        { model: 'o4-mini', max_completion_tokens: 5 },
        completion({ content: '' }, { finish_reason: 'length' }, { system_fingerprint: null }),
      ),
    ],
    wrong: chat(
      { model: 'o4-mini', max_completion_tokens: 5 },
      completion({ content: '' }, { finish_reason: 'length' }, { usage: { prompt_tokens: 10 } }),
    ),
    breaks: 'usage:total_tokens#required',
  },
  {
    name: 'a refusal',
    traffic: [chat({}, completion({ content: null, refusal: 'I cannot help with that.' }))],
    wrong: chat({}, completion({ content: 5, refusal: null })),
    breaks: 'chat.message:content#type',
  },
  {
    name: 'annotations of a web search',
    traffic: [
      chat(
        { model: 'gpt-4o-search-preview', web_search_options: {} },
        completion({
          annotations: [
            {
              type: 'url_citation',
              url_citation: { start_index: 0, end_index: 5, url: 'https://example.com', title: 'a' },
            },
          ],
        }),
      ),
    ],
    wrong: chat({ web_search_options: {} }, completion({ role: 'user' })),
    breaks: 'chat.message:role#const',
  },
  {
    name: 'a reply that follows a schema',
    traffic: [
      chat(
        {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'a', strict: true, schema: { type: 'object' } },
          },
        },
        completion({ content: '{}' }),
      ),
      chat({ response_format: { type: 'text' } }, completion({}, {}, { id: 'chatcmpl-b' })),
    ],
    wrong: chat({ response_format: { type: 'text' } }, completion({}, {}, { object: 'completion' })),
    breaks: 'chat.completion:object#const',
  },
  {
    name: 'a choice among allowed tools',
    traffic: [
      chat(
        {
          tools: [lookUpTool],
          tool_choice: {
            type: 'allowed_tools',
            allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look_up' } }] },
          },
        },
        completion(toolCallMessage, { finish_reason: 'tool_calls' }),
      ),
    ],
    wrong: chat(
      { tools: [lookUpTool] },
      completion(
        { ...toolCallMessage, tool_calls: [{ id: 'call_a', type: 'function' }] },
        { finish_reason: 'tool_calls' },
      ),
    ),
    breaks: 'chat.tool_call:function#required',
  },
  {
    name: 'a custom tool',
    traffic: [
      chat(
        { tools: [customTool] },
        completion({ content: null, tool_calls: [customCall] }, { finish_reason: 'tool_calls' }),
      ),
    ],
    wrong: chat(
      { tools: [lookUpTool] },
      completion({ content: null, tool_calls: [customCall] }, { finish_reason: 'tool_calls' }),
    ),
    breaks: 'chat.tool_call:type#const',
  },
  {
    name: 'a spoken reply',
    traffic: [
      chat(
        { model: 'gpt-audio', modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
        completion({
          content: null,
          audio: { id: 'audio_a', data: 'UklGRg==', expires_at: 1_750_003_600, transcript: 'Hello' },
        }),
      ),
    ],
    wrong: wrongPlainChat,
    follows: true,
    breaks: CREATED,
  },
  {
    name: 'audio and files as input',
    traffic: [
      chat(
        {
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'What is this?' },
                { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
                { type: 'file', file: { file_id: 'file-a' } },
              ],
            },
          ],
        },
        completion(),
      ),
    ],
    wrong: wrongPlainChat,
    breaks: CREATED,
  },
  {
    name: 'probabilities of tokens, and null for those of a refusal',
    traffic: [
      chat({ logprobs: true, top_logprobs: 1 }, completion({ content: 'H' }, { logprobs: logprobs([72]) })),
    ],
    wrong: chat(
      { logprobs: true, top_logprobs: 1 },
      completion({ content: 'H' }, { logprobs: logprobs(['H']) }),
    ),
    breaks: 'chat.logprobs:content[].bytes[]#type',
  },
  {
    name: 'a stream with usage and padding',
    traffic: [
      stream(
        chunk({ role: 'assistant', content: '', refusal: null }),
        chunk({ content: 'Hello' }),
        chunk({}, 'stop'),
        chunk(null),
        '[DONE]',
      ),
    ],
    wrong: stream(
      chunk({ role: 'assistant', content: 'Hello' }),
      { ...chunk({}, 'stop'), id: 'chatcmpl-b' },
      chunk(null),
      '[DONE]',
    ),
    breaks: 'chat.stream.same-id',
  },
  {
    name: 'a streamed refusal',
    traffic: [
      stream(
        chunk({ role: 'assistant', content: null, refusal: '' }),
        chunk({ refusal: 'No.' }),
        chunk({}, 'stop'),
        chunk(null),
        '[DONE]',
      ),
    ],
    wrong: stream(chunk({ role: 'assistant', content: 5 }), chunk({}, 'stop'), chunk(null), '[DONE]'),
    breaks: 'chat.completion.chunk:choices[].delta.content#type',
  },
];
