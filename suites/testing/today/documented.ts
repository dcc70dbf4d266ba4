import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './errata.ts';
import { completion, lookUp, NOW, textCompletion } from './objects.ts';

const chat = (answer: JsonObject, sent: JsonObject = {}): Sketch => ({
  call: 'POST /v1/chat/completions',
  sent: { model: 'm', messages: [{ role: 'user', content: 'a' }], ...sent },
  answer: { ...answer, model: 'm' },
});
const write = (answer: JsonObject, sent: JsonObject = {}): Sketch => ({
  call: 'POST /v1/completions',
  sent: { model: 'm', prompt: 'a', ...sent },
  answer,
});
/** A refused completion, next to an accepted one. */
const refused = (sent: JsonObject): readonly Sketch[] => [
  write(textCompletion({})),
  {
    call: 'POST /v1/completions',
    sent: { model: 'm', prompt: 'a', ...sent },
    status: 400,
    answer: { error: { message: 'not supported', type: 'invalid_request_error', param: null, code: null } },
  },
];
const FOUR = { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 };
const plain = { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
const other = { ...lookUp, function: { ...lookUp.function, name: 'other' } };
const called = { id: 'call_a', type: 'function', function: { name: 'other', arguments: '{}' } };
const calls = (tool_calls: readonly JsonObject[]) =>
  completion({ content: null, tool_calls }, { finish_reason: 'tool_calls' });
const choose = (tool_choice: string | JsonObject): JsonObject => ({ tools: [lookUp, other], tool_choice });
const forced = choose({ type: 'function', function: { name: 'look_up' } });
/** A stream whose only choice has these deltas. */
const streamed = (id: string, sent: JsonObject, deltas: readonly JsonObject[], finish: string): Sketch => ({
  call: 'POST /v1/chat/completions',
  sent: { model: 'm', messages: [{ role: 'user', content: 'a' }], stream: true, ...sent },
  events: [
    ...[...deltas, null].map((delta) => {
      const choice = {
        index: 0,
        delta: delta ?? {},
        logprobs: null,
        finish_reason: delta === null ? finish : null,
      };
      const object = 'chat.completion.chunk';
      return { id, object, created: NOW, model: 'm', system_fingerprint: 'fp_a', choices: [choice] };
    }),
    '[DONE]',
  ],
});
const said = [{ role: 'assistant', content: 'Hello' }];
const calledInStream = [{ role: 'assistant', content: null, tool_calls: [{ index: 0, ...called }] }];

/** Invalid values of fields that are not read. */
const UNREAD_IN_CHAT: readonly JsonObject[] = [
  { logit_bias: 'none' },
  { logprobs: 'yes' },
  { logprobs: true, top_logprobs: 'two' },
  { top_logprobs: 2 },
  { n: 'two' },
  { tools: [lookUp], tool_choice: 5 },
];
const UNREAD_IN_COMPLETIONS: readonly JsonObject[] = [
  { best_of: 'two' },
  { echo: 'yes' },
  { logit_bias: 'none' },
  { logprobs: 'one' },
  { n: 'two' },
  { user: 5 },
];

/** Cases of the dialect `ollama`: features that its page leaves unticked. */
export const OLLAMA: readonly ErratumCase[] = [
  {
    erratum: 'ollama-no-logprobs',
    excused: [
      chat(completion({}, { logprobs: null }), { logprobs: true }),
      chat(completion({}, {}, { id: 'b', choices: [plain] })),
      write(textCompletion({ logprobs: null }), { logprobs: 1 }),
      write(textCompletion({}, { id: 'b', choices: [{ text: ' a', index: 0, finish_reason: 'stop' }] })),
    ],
    beyond: [
      {
        traffic: [chat(completion({}, { logprobs: { content: 5 } }), { logprobs: true })],
        breaks: 'chat.logprobs:content#type',
      },
    ],
  },
  {
    erratum: 'ollama-no-tool-choice',
    excused: [
      chat({ ...calls([called]), id: 'a' }, choose('none')),
      // The model calls a function in one request, and none in another.
      chat({ ...calls([called]), id: 'f' }, choose('required')),
      chat({ ...completion(), id: 'b' }, choose('required')),
      chat({ ...calls([called]), id: 'c' }, forced),
      streamed('g', choose('required'), calledInStream, 'tool_calls'),
      streamed('d', choose('required'), said, 'stop'),
      streamed('e', forced, calledInStream, 'tool_calls'),
    ],
    beyond: [
      {
        traffic: [chat(calls([{ ...called, type: 'other' }]), choose('none'))],
        breaks: 'chat.tool_call:type#const',
      },
    ],
  },
  {
    erratum: 'ollama-no-logit-bias',
    excused: [
      write(textCompletion({ text: ' one two three four', finish_reason: 'length' }, { usage: FOUR }), {
        logit_bias: { '100': 100 },
        max_tokens: 4,
      }),
    ],
    beyond: [
      {
        traffic: [write(textCompletion({ text: 5 }), { logit_bias: { '100': 100 }, max_tokens: 8 })],
        breaks: 'text_completion:choices[].text#type',
      },
    ],
  },
  {
    erratum: 'ollama-one-choice',
    excused: [chat(completion(), { n: 3 }), write(textCompletion({}), { n: 3 })],
    beyond: [
      {
        traffic: [
          chat(
            completion(
              {},
              {},
              {
                choices: [
                  { ...plain, logprobs: null },
                  { ...plain, logprobs: null, index: 1 },
                ],
              },
            ),
            { n: 3 },
          ),
        ],
        breaks: 'chat.reply.choices-as-asked',
      },
    ],
  },
  {
    erratum: 'ollama-no-echo',
    excused: [write(textCompletion({ text: ' b' }), { prompt: 'Say it.', echo: true })],
    beyond: [
      {
        traffic: [write(textCompletion({ text: 5 }), { prompt: 'Say it.', echo: true })],
        breaks: 'text_completion:choices[].text#type',
      },
    ],
  },
  {
    erratum: 'ollama-prompts-are-texts',
    excused: refused({ prompt: ['a', 'b'] }),
    beyond: [{ traffic: refused({ prompt: 'b', stop: 'c' }), breaks: 'createCompletion:accepts' }],
  },
  {
    erratum: 'ollama-unread-fields',
    excused: [
      ...UNREAD_IN_CHAT.map((sent, i) => chat({ ...completion(), id: `a${i}` }, sent)),
      ...UNREAD_IN_COMPLETIONS.map((sent, i) => write(textCompletion({}, { id: `b${i}` }), sent)),
      {
        call: 'POST /v1/completions',
        sent: { model: 'm', prompt: 'a', best_of: 2, stream: true },
        events: [textCompletion({}), '[DONE]'],
      },
    ],
    beyond: [
      {
        traffic: [chat(completion(), { temperature: 'warm' })],
        breaks: 'createChatCompletion:body.temperature#type.rejected',
      },
      {
        traffic: [write(textCompletion({}), { temperature: 'warm' })],
        breaks: 'createCompletion:body.temperature#type.rejected',
      },
    ],
  },
];
