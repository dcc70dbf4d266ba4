// Cases of the errata of the dialect `compatible`, which describes servers of open models.
import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import { completion, list, lookUpTool, textCompletion, withoutMember } from './objects.ts';
import { STREAMS_OF_AUDIO } from './unspecified-requests.ts';

const chat = (answer: JsonObject, sent: JsonObject = {}): readonly Sketch[] => [
  {
    call: 'POST /v1/chat/completions',
    sent: { model: 'gpt-4o', messages: [{ role: 'user', content: 'a' }], ...sent },
    answer,
  },
];
const models = (more: JsonObject): readonly Sketch[] => [
  { call: 'GET /v1/models', answer: list({ id: 'm', object: 'model', ...more }) },
];
const complete = (answer: JsonObject, sent: JsonObject = {}): readonly Sketch[] => [
  { call: 'POST /v1/completions', sent: { model: 'm', prompt: 'a', ...sent }, answer },
];
const plainChoice = { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
const call = { id: 'call_a', type: 'function', function: { name: 'look_up', arguments: '{}' } };
const chatWithCalls = (message: JsonObject): readonly Sketch[] => {
  const answer = completion({}, { finish_reason: 'tool_calls', message: { role: 'assistant', ...message } });
  return chat(answer, { tools: [lookUpTool] });
};

export const COMPATIBLE: readonly ErratumCase[] = [
  {
    erratum: 'no-fingerprint',
    excused: [
      ...chat(withoutMember(completion(), 'system_fingerprint')),
      ...chat(completion({}, {}, { id: 'b', system_fingerprint: null })),
    ],
    beyond: [
      {
        traffic: chat(completion({}, {}, { system_fingerprint: 5 })),
        breaks: 'chat.completion:system_fingerprint#type',
      },
    ],
  },
  {
    erratum: 'no-logprobs',
    excused: [
      ...chat(completion({}, { logprobs: null }), { logprobs: true }),
      ...chat(completion({}, {}, { id: 'b', choices: [plainChoice] })),
      ...complete(textCompletion({ logprobs: null }), { logprobs: 1 }),
      ...complete(
        textCompletion({}, { id: 'b', choices: [{ text: ' a', index: 0, finish_reason: 'stop' }] }),
      ),
    ],
    beyond: [
      {
        traffic: chat(completion({}, { logprobs: { content: 5 } }), { logprobs: true }),
        breaks: 'chat.logprobs:content#type',
      },
    ],
  },
  {
    erratum: 'no-usage-in-answers',
    excused: [
      ...chat(withoutMember(completion(), 'usage')),
      ...complete(withoutMember(textCompletion({}), 'usage')),
    ],
    beyond: [{ traffic: chat(completion({}, {}, { usage: {} })), breaks: 'usage:total_tokens#required' }],
  },
  {
    erratum: 'models-without-origin',
    excused: models({}),
    beyond: [{ traffic: models({ created: 'now', owned_by: 'a' }), breaks: 'model:created#type' }],
  },
  {
    erratum: 'message-without-content',
    excused: chatWithCalls({ tool_calls: [call] }),
    beyond: [
      {
        traffic: chat(completion({}, { message: { role: 'assistant' } })),
        breaks: 'chat.message:content#expected',
      },
    ],
  },
  STREAMS_OF_AUDIO,
];
