// Cases of valid requests that reasoning models refuse.
import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './errata.ts';
import { completion } from './objects.ts';

const REFUSED = 'createChatCompletion:accepts';
const user = { role: 'user', content: 'a' };
const ask = (model: string, more: JsonObject): JsonObject => ({ model, messages: [user], ...more });

/**
 * A model that responds to plain requests, and refuses other parameters. Without the response after it, the 403 could
 * mean that the key was revoked.
 */
function refusing(sent: JsonObject, error: JsonObject, status = 400): readonly Sketch[] {
  const call = 'POST /v1/chat/completions';
  const plain = (when: string): Sketch => ({
    call,
    sent: { model: sent['model'] ?? null, messages: [user] },
    answer: completion({}, {}, { id: `chatcmpl-${when}-${status}-${JSON.stringify([sent, error])}` }),
  });
  return [
    plain('before'),
    { call, sent, status, answer: { error: { type: 'invalid_request_error', ...error } } },
    plain('after'),
  ];
}

const unsupported = (param: string): JsonObject => ({
  message: `Unsupported parameter: '${param}' is not supported with this model.`,
  param,
  code: 'unsupported_parameter',
});
/** An error that names its field in its message only. */
const unnamed = (message: string): JsonObject => ({ message, param: null, code: null });
const noLogprobs = unnamed('You are not allowed to request logprobs from this model.');
const unverified = {
  message: 'Your organization must be verified to stream this model.',
  param: 'stream',
  code: 'unsupported_value',
};
const incompatible = (...names: readonly string[]) =>
  unnamed(`Model incompatible request arguments supplied: ${names.join(', ')}`);
/** A transcript in one format, and the refusal of another. */
function writing(
  model: string,
  format: string,
  { param = 'response_format', status = 400 }: { readonly param?: string; readonly status?: number } = {},
): readonly Sketch[] {
  const call = 'POST /v1/audio/transcriptions';
  const form = [
    ['model', model],
    ['file', 'ID3 of a sound', 'a.mp3'],
  ] as const;
  const message = `${param} '${format}' is not compatible with model '${model}'.`;
  return [
    { call, form, answer: { text: 'Hello' } },
    { call, form: [...form, ['response_format', format]], status, answer: { error: { message, param } } },
    { call, form, answer: { text: 'Hello' } },
  ];
}
const tool = { type: 'function', function: { name: 'look_up' } };
const system = { messages: [{ role: 'system', content: 'Be brief.' }, user] };
const noSystem = { message: 'Unsupported value', param: 'messages[0].role', code: 'unsupported_value' };

/** Each parameter with a value that is refused. */
const PARAMETERS: readonly (readonly [string, JsonObject])[] = [
  ['max_tokens', { max_tokens: 5 }],
  ['temperature', { temperature: 0 }],
  ['top_p', { top_p: 0.5 }],
  ['presence_penalty', { presence_penalty: 1 }],
  ['frequency_penalty', { frequency_penalty: 1 }],
  ['logit_bias', { logit_bias: { 5: 1 } }],
  ['stop', { stop: 'a' }],
  ['logprobs', { logprobs: true }],
  ['top_logprobs', { logprobs: true, top_logprobs: 1 }],
];
/** Each with its neutral value. */
const DEFAULTS: readonly (readonly [string, JsonObject])[] = [
  ['max_tokens', { max_tokens: null }],
  ['temperature', { temperature: 1 }],
  ['top_p', { top_p: 1 }],
  ['presence_penalty', { presence_penalty: 0 }],
  ['frequency_penalty', { frequency_penalty: 0 }],
  ['logit_bias', { logit_bias: {} }],
  ['stop', { stop: null }],
  ['logprobs', { logprobs: false }],
  ['top_logprobs', { logprobs: true, top_logprobs: null }],
];
const beyond = (...args: Parameters<typeof refusing>) => ({ traffic: refusing(...args), breaks: REFUSED });

export const REFUSALS: readonly ErratumCase[] = [
  {
    erratum: 'reasoning-models',
    excused: [
      ...PARAMETERS.flatMap(([name, more]) => refusing(ask('o3-mini', more), unsupported(name))),
      ...['gpt-5.4-mini', 'ft:o4-mini-2025-04-16:org::a'].flatMap((model) =>
        refusing(ask(model, { temperature: 0 }), unsupported('temperature')),
      ),
      ...refusing(ask('o4-mini', { logprobs: true }), noLogprobs, 403),
      ...refusing(ask('o4-mini', { logprobs: true }), noLogprobs),
      ...refusing(
        ask('o4-mini', { logprobs: true }),
        unnamed('You may not request logprobs from this model.'),
        403,
      ),
      ...refusing(
        ask('o4-mini', { logprobs: true, top_logprobs: 1 }),
        { ...noLogprobs, param: 'top_logprobs' },
        403,
      ),
    ],
    beyond: [
      // Another model, the default value, and a field that the error does not name, that was not sent, or that is
      // unknown.
      beyond(ask('gpt-4o', { temperature: 0 }), unsupported('temperature')),
      beyond(ask('gpt-50', { temperature: 0 }), unsupported('temperature')),
      beyond(ask('gpt-5-chat-latest', { temperature: 0 }), unsupported('temperature')),
      beyond(ask('ft:gpt-4o:org::a', { temperature: 0 }), unsupported('temperature')),
      beyond(ask('o3-mini', { stop: 'a' }), unnamed('The server had to stop: internal quota')),
      ...DEFAULTS.map(([name, more]) => beyond(ask('o3-mini', more), unsupported(name))),
      beyond(ask('o3-mini', { temperature: 0 }), { message: 'Bad request.', param: null }),
      beyond(ask('o3-mini', { temperature: 0 }), unsupported('stop')),
      beyond(ask('o3-mini', { seed: 1 }), unsupported('seed')),
      beyond(ask('o3-mini', { temperature: 0 }), unsupported('temperature'), 422),
      // Another model, another status, only default values, and a different message.
      beyond(ask('gpt-4o', { logprobs: true }), noLogprobs, 403),
      beyond(ask('o4-mini', { logprobs: true }), noLogprobs, 422),
      beyond(ask('o4-mini', { logprobs: false }), noLogprobs, 403),
      beyond(ask('o4-mini', { top_logprobs: null }), noLogprobs, 403),
      beyond(ask('o4-mini', { logprobs: true }), unnamed('You may not use this model.'), 403),
      beyond(ask('o4-mini', { logprobs: true }), unsupported('logprobs'), 403),
    ],
  },
  {
    erratum: 'first-reasoning-models',
    excused: [
      ...refusing({ model: 'o1-mini', ...system }, noSystem),
      ...refusing(ask('o1-mini', { n: 2 }), unsupported('n')),
      ...refusing(ask('o1-mini', { tools: [tool] }), unsupported('tools')),
    ],
    beyond: [
      beyond(ask('o1-mini', { n: 1 }), unsupported('n')),
      beyond(ask('o1-mini', { n: 2 }), unsupported('n'), 422),
      beyond({ model: 'o1-mini', ...system }, noSystem, 422),
      beyond(ask('o3', { n: 2 }), unsupported('n')),
      beyond(ask('o3-mini', { tools: [tool] }), unsupported('tools')),
      beyond({ model: 'o3-mini', ...system }, noSystem),
      beyond({ model: 'o1-mini', ...system }, { message: 'Bad request.', param: null }),
      beyond(ask('o1-mini', { seed: 1 }), noSystem),
    ],
  },
  {
    erratum: 'searching-models',
    excused: [
      ...refusing(ask('gpt-4o-search-preview', { temperature: 0.5 }), incompatible('temperature')),
      ...refusing(ask('gpt-4o-mini-search-preview-2025-03-11', { top_p: 1 }), incompatible('n', 'top_p')),
      ...['presence_penalty', 'frequency_penalty'].flatMap((name) =>
        refusing(ask('gpt-4o-search-preview', { [name]: 1 }), incompatible(name)),
      ),
    ],
    beyond: [
      beyond(ask('gpt-4o', { temperature: 0.5 }), incompatible('temperature')),
      beyond(ask('gpt-4o-search-preview', { seed: 1 }), incompatible('seed')),
      beyond(ask('gpt-4o-search-preview', { temperature: 1 }), incompatible('top_p')),
      beyond(ask('gpt-4o-search-preview', { temperature: 1 }), incompatible('temperature'), 422),
      ...['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'].map((name) =>
        beyond(ask('gpt-4o-search-preview', { [name]: null }), incompatible(name)),
      ),
    ],
  },
  {
    erratum: 'unverified-organizations',
    excused: refusing(ask('o3', { stream: true }), unverified),
    beyond: [
      beyond(ask('o3', { stream: true }), { ...unverified, message: "'stream' is not supported." }),
      beyond(ask('o3', { stream: false }), unverified),
      beyond(ask('o3', { stream: true }), unverified, 422),
      beyond(ask('gpt-4o', { stream: true }), unverified),
    ],
  },
  {
    erratum: 'plain-transcripts',
    excused: ['verbose_json', 'srt', 'vtt'].flatMap((format) => writing('gpt-4o-mini-transcribe', format)),
    beyond: [
      { traffic: writing('whisper-1', 'verbose_json'), breaks: 'createTranscription:accepts' },
      { traffic: writing('gpt-4o-transcribe', 'text'), breaks: 'createTranscription:accepts' },
      ...[{ param: 'language' }, { status: 422 }].map((more) => ({
        traffic: writing('gpt-4o-transcribe', 'srt', more),
        breaks: 'createTranscription:accepts',
      })),
    ],
  },
];
