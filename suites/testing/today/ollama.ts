// Cases of the dialect `ollama`: features that its documentation does not list as supported.
import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import { completion, lookUpTool, NOW, textCompletion } from './objects.ts';

const chat = (answer: JsonObject, sent: JsonObject = {}): Sketch => ({
  call: 'POST /v1/chat/completions',
  sent: { model: 'm', messages: [{ role: 'user', content: 'a' }], ...sent },
  answer: { ...answer, model: 'm' },
});
const completeText = (answer: JsonObject, sent: JsonObject = {}): Sketch => ({
  call: 'POST /v1/completions',
  sent: { model: 'm', prompt: 'a', ...sent },
  answer,
});
const refusedCompletion = (sent: JsonObject): readonly Sketch[] => [
  completeText(textCompletion({})),
  {
    call: 'POST /v1/completions',
    sent: { model: 'm', prompt: 'a', ...sent },
    status: 400,
    answer: { error: { message: 'not supported', type: 'invalid_request_error', param: null, code: null } },
  },
];
const FOUR_TOKENS = { prompt_tokens: 1, completion_tokens: 4, total_tokens: 5 };
const textChoice = { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
const otherTool = { ...lookUpTool, function: { ...lookUpTool.function, name: 'other' } };
const otherCall = { id: 'call_a', type: 'function', function: { name: 'other', arguments: '{}' } };
const callCompletion = (tool_calls: readonly JsonObject[]) =>
  completion({ content: null, tool_calls }, { finish_reason: 'tool_calls' });
const offerTools = (tool_choice: string | JsonObject): JsonObject => ({
  tools: [lookUpTool, otherTool],
  tool_choice,
});
const forcedTool = offerTools({ type: 'function', function: { name: 'look_up' } });
const streamChat = (id: string, sent: JsonObject, deltas: readonly JsonObject[], finish: string): Sketch => ({
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
const textDeltas = [{ role: 'assistant', content: 'Hello' }];
const callDeltas = [{ role: 'assistant', content: null, tool_calls: [{ index: 0, ...otherCall }] }];

const violate = (breaks: string, ...traffic: readonly Sketch[]) => ({ traffic, breaks });
const twoChoices = [0, 1].map((index) => ({ ...textChoice, logprobs: null, index }));

/** Invalid uses of fields that the server does not read. */
const UNREAD_IN_CHAT: readonly JsonObject[] = [
  { logit_bias: 'none' },
  { logprobs: 'yes' },
  { logprobs: true, top_logprobs: 'two' },
  { top_logprobs: 2 },
  { n: 'two' },
  { tools: [lookUpTool], tool_choice: 5 },
];
const UNREAD_IN_COMPLETIONS: readonly JsonObject[] = [
  { best_of: 'two' },
  { echo: 'yes' },
  { logit_bias: 'none' },
  { logprobs: 'one' },
  { n: 'two' },
  { user: 5 },
];

export const OLLAMA: readonly ErratumCase[] = [
  {
    erratum: 'ollama-no-logprobs',
    excused: [
      chat(completion({}, { logprobs: null }), { logprobs: true }),
      chat(completion({}, {}, { id: 'b', choices: [textChoice] })),
      completeText(textCompletion({ logprobs: null }), { logprobs: 1 }),
      completeText(
        textCompletion({}, { id: 'b', choices: [{ text: ' a', index: 0, finish_reason: 'stop' }] }),
      ),
    ],
    beyond: [
      violate(
        'chat.logprobs:content#type',
        chat(completion({}, { logprobs: { content: 5 } }), { logprobs: true }),
      ),
    ],
  },
  {
    erratum: 'ollama-no-tool-choice',
    excused: [
      chat({ ...callCompletion([otherCall]), id: 'a' }, offerTools('none')),
      // The model calls a function in one request, and none in another.
      chat({ ...callCompletion([otherCall]), id: 'f' }, offerTools('required')),
      chat({ ...completion(), id: 'b' }, offerTools('required')),
      chat({ ...callCompletion([otherCall]), id: 'c' }, forcedTool),
      streamChat('g', offerTools('required'), callDeltas, 'tool_calls'),
      streamChat('d', offerTools('required'), textDeltas, 'stop'),
      streamChat('e', forcedTool, callDeltas, 'tool_calls'),
    ],
    beyond: [
      violate(
        'chat.tool_call:type#const',
        chat(callCompletion([{ ...otherCall, type: 'other' }]), offerTools('none')),
      ),
    ],
  },
  {
    erratum: 'ollama-no-logit-bias',
    excused: [
      completeText(
        textCompletion({ text: ' one two three four', finish_reason: 'length' }, { usage: FOUR_TOKENS }),
        { logit_bias: { '100': 100 }, max_tokens: 4 },
      ),
    ],
    beyond: [
      violate(
        'text_completion:choices[].text#type',
        completeText(textCompletion({ text: 5 }), { logit_bias: { '100': 100 }, max_tokens: 8 }),
      ),
    ],
  },
  {
    erratum: 'ollama-one-choice',
    excused: [chat(completion(), { n: 3 }), completeText(textCompletion({}), { n: 3 })],
    beyond: [
      violate('chat.reply.choices-as-asked', chat(completion({}, {}, { choices: twoChoices }), { n: 3 })),
    ],
  },
  {
    erratum: 'ollama-no-echo',
    excused: [completeText(textCompletion({ text: ' b' }), { prompt: 'Say it.', echo: true })],
    beyond: [
      violate(
        'text_completion:choices[].text#type',
        completeText(textCompletion({ text: 5 }), { prompt: 'Say it.', echo: true }),
      ),
    ],
  },
  {
    erratum: 'ollama-prompts-are-texts',
    excused: refusedCompletion({ prompt: ['a', 'b'] }),
    beyond: [violate('createCompletion:accepts', ...refusedCompletion({ prompt: 'b', stop: 'c' }))],
  },
  {
    erratum: 'ollama-unread-fields',
    excused: [
      ...UNREAD_IN_CHAT.map((sent, i) => chat({ ...completion(), id: `a${i}` }, sent)),
      ...UNREAD_IN_COMPLETIONS.map((sent, i) => completeText(textCompletion({}, { id: `b${i}` }), sent)),
      {
        call: 'POST /v1/completions',
        sent: { model: 'm', prompt: 'a', best_of: 2, stream: true },
        events: [textCompletion({}), '[DONE]'],
      },
    ],
    beyond: [
      violate(
        'createChatCompletion:body.temperature#type.rejected',
        chat(completion(), { temperature: 'warm' }),
      ),
      violate(
        'createCompletion:body.temperature#type.rejected',
        completeText(textCompletion({}), { temperature: 'warm' }),
      ),
    ],
  },
];
