// Cases of the errata for valid requests that some models refuse.
import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import { completion } from './objects.ts';

const REFUSED = 'createChatCompletion:accepts';
const user = { role: 'user', content: 'a' };
const ask = (model: string, more: JsonObject): JsonObject => ({ model, messages: [user], ...more });

/** Without the second plain request, a 403 could mean that the key was revoked. */
function refuse(sent: JsonObject, error: JsonObject, status = 400): readonly Sketch[] {
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

const unsupportedError = (param: string): JsonObject => ({
  message: `Unsupported parameter: '${param}' is not supported with this model.`,
  param,
  code: 'unsupported_parameter',
});
const errorWithoutParam = (message: string): JsonObject => ({ message, param: null, code: null });
const logprobsError = errorWithoutParam('You are not allowed to request logprobs from this model.');
const unverifiedError = {
  message: 'Your organization must be verified to stream this model.',
  param: 'stream',
  code: 'unsupported_value',
};
const incompatibleError = (...names: readonly string[]) =>
  errorWithoutParam(`Model incompatible request arguments supplied: ${names.join(', ')}`);

/** Refuses a format, between two transcripts in the default one. */
function refuseFormat(
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
const systemError = { message: 'Unsupported value', param: 'messages[0].role', code: 'unsupported_value' };

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
/** The same parameters, each with a value that has no effect. */
const NEUTRAL_PARAMETERS: readonly (readonly [string, JsonObject])[] = [
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
const beyond = (...args: Parameters<typeof refuse>) => ({ traffic: refuse(...args), breaks: REFUSED });

export const REFUSALS: readonly ErratumCase[] = [
  {
    erratum: 'reasoning-models',
    excused: [
      ...PARAMETERS.flatMap(([name, more]) => refuse(ask('o3-mini', more), unsupportedError(name))),
      ...['gpt-5.4-mini', 'ft:o4-mini-2025-04-16:org::a'].flatMap((model) =>
        refuse(ask(model, { temperature: 0 }), unsupportedError('temperature')),
      ),
      ...refuse(ask('o4-mini', { logprobs: true }), logprobsError, 403),
      ...refuse(ask('o4-mini', { logprobs: true }), logprobsError),
      ...refuse(
        ask('o4-mini', { logprobs: true }),
        errorWithoutParam('You may not request logprobs from this model.'),
        403,
      ),
      ...refuse(
        ask('o4-mini', { logprobs: true, top_logprobs: 1 }),
        { ...logprobsError, param: 'top_logprobs' },
        403,
      ),
    ],
    beyond: [
      beyond(ask('gpt-4o', { temperature: 0 }), unsupportedError('temperature')),
      beyond(ask('gpt-50', { temperature: 0 }), unsupportedError('temperature')),
      beyond(ask('gpt-5-chat-latest', { temperature: 0 }), unsupportedError('temperature')),
      beyond(ask('ft:gpt-4o:org::a', { temperature: 0 }), unsupportedError('temperature')),
      // This error contains the name of a parameter as an ordinary word.
      beyond(ask('o3-mini', { stop: 'a' }), errorWithoutParam('The server had to stop: internal quota')),
      ...NEUTRAL_PARAMETERS.map(([name, more]) => beyond(ask('o3-mini', more), unsupportedError(name))),
      beyond(ask('o3-mini', { temperature: 0 }), { message: 'Bad request.', param: null }),
      beyond(ask('o3-mini', { temperature: 0 }), unsupportedError('stop')),
      beyond(ask('o3-mini', { seed: 1 }), unsupportedError('seed')),
      beyond(ask('o3-mini', { temperature: 0 }), unsupportedError('temperature'), 422),
      beyond(ask('gpt-4o', { logprobs: true }), logprobsError, 403),
      beyond(ask('o4-mini', { logprobs: true }), logprobsError, 422),
      beyond(ask('o4-mini', { logprobs: false }), logprobsError, 403),
      beyond(ask('o4-mini', { top_logprobs: null }), logprobsError, 403),
      beyond(ask('o4-mini', { logprobs: true }), errorWithoutParam('You may not use this model.'), 403),
      beyond(ask('o4-mini', { logprobs: true }), unsupportedError('logprobs'), 403),
    ],
  },
  {
    erratum: 'first-reasoning-models',
    excused: [
      ...refuse({ model: 'o1-mini', ...system }, systemError),
      ...refuse(ask('o1-mini', { n: 2 }), unsupportedError('n')),
      ...refuse(ask('o1-mini', { tools: [tool] }), unsupportedError('tools')),
    ],
    beyond: [
      beyond(ask('o1-mini', { n: 1 }), unsupportedError('n')),
      beyond(ask('o1-mini', { n: 2 }), unsupportedError('n'), 422),
      beyond({ model: 'o1-mini', ...system }, systemError, 422),
      beyond(ask('o3', { n: 2 }), unsupportedError('n')),
      beyond(ask('o3-mini', { tools: [tool] }), unsupportedError('tools')),
      beyond({ model: 'o3-mini', ...system }, systemError),
      beyond({ model: 'o1-mini', ...system }, { message: 'Bad request.', param: null }),
      beyond(ask('o1-mini', { seed: 1 }), systemError),
    ],
  },
  {
    erratum: 'searching-models',
    excused: [
      ...refuse(ask('gpt-4o-search-preview', { temperature: 0.5 }), incompatibleError('temperature')),
      ...refuse(ask('gpt-4o-mini-search-preview-2025-03-11', { top_p: 1 }), incompatibleError('n', 'top_p')),
      ...['presence_penalty', 'frequency_penalty'].flatMap((name) =>
        refuse(ask('gpt-4o-search-preview', { [name]: 1 }), incompatibleError(name)),
      ),
    ],
    beyond: [
      beyond(ask('gpt-4o', { temperature: 0.5 }), incompatibleError('temperature')),
      beyond(ask('gpt-4o-search-preview', { seed: 1 }), incompatibleError('seed')),
      beyond(ask('gpt-4o-search-preview', { temperature: 1 }), incompatibleError('top_p')),
      beyond(ask('gpt-4o-search-preview', { temperature: 1 }), incompatibleError('temperature'), 422),
      ...['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'].map((name) =>
        beyond(ask('gpt-4o-search-preview', { [name]: null }), incompatibleError(name)),
      ),
    ],
  },
  {
    erratum: 'unverified-organizations',
    excused: refuse(ask('o3', { stream: true }), unverifiedError),
    beyond: [
      beyond(ask('o3', { stream: true }), { ...unverifiedError, message: "'stream' is not supported." }),
      beyond(ask('o3', { stream: false }), unverifiedError),
      beyond(ask('o3', { stream: true }), unverifiedError, 422),
      beyond(ask('gpt-4o', { stream: true }), unverifiedError),
    ],
  },
  {
    erratum: 'plain-transcripts',
    excused: ['verbose_json', 'srt', 'vtt'].flatMap((format) =>
      refuseFormat('gpt-4o-mini-transcribe', format),
    ),
    beyond: [
      { traffic: refuseFormat('whisper-1', 'verbose_json'), breaks: 'createTranscription:accepts' },
      { traffic: refuseFormat('gpt-4o-transcribe', 'text'), breaks: 'createTranscription:accepts' },
      ...[{ param: 'language' }, { status: 422 }].map((more) => ({
        traffic: refuseFormat('gpt-4o-transcribe', 'srt', more),
        breaks: 'createTranscription:accepts',
      })),
    ],
  },
];
