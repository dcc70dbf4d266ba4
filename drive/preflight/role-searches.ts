import type { CostClass } from '../../schemas/index.ts';
import type { ModelRole } from '../scenario/model-roles.ts';
import type { CallInput, FormPart } from '../scenario/scenario.ts';
import { createToneWave } from '../scenario/tone-wave.ts';

export interface RoleSearch {
  readonly fits: RegExp;
  /** True if the specification has rules only for the model that `fits` names, so no other may take its role. */
  readonly hasOwnRules?: true;
  readonly prefers: readonly RegExp[];
  readonly cost: CostClass;
  readonly operation: string;
  readonly input: (model: string) => CallInput;
}

export const MAX_CANDIDATES = 3;

const OTHER_MEDIA = /embed|whisper|transcri|tts|speech|dall-?e|image|diffusion|flux|moderation|rerank|guard/i;
/** Matches all names except those above, because few names say what a model can do. */
const WRITES_TEXT = new RegExp(`^(?!.*(?:${OTHER_MEDIA.source}))`, 'i');

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==';

const jsonInput = (body: (model: string) => NonNullable<CallInput['body']>) => (model: string) => ({
  body: body(model),
});

const imageInput = (size: string) => jsonInput((model) => ({ model, prompt: 'A dot', n: 1, size }));

/** `assistant` has no entry: it takes the model of `chat` without its own trial. */
export const ROLE_SEARCHES: Readonly<Record<Exclude<ModelRole, 'assistant'>, RoleSearch>> = {
  chat: {
    fits: WRITES_TEXT,
    prefers: [/chat|gpt|turbo/i, /instruct|-it\b/i],
    cost: 'tokens',
    operation: 'createChatCompletion',
    input: jsonInput((model) => ({ model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 })),
  },
  vision: {
    fits: WRITES_TEXT,
    prefers: [/vision|\bvl(?!lm)|llava|pixtral|omni|4o/i, /chat|gpt/i],
    cost: 'tokens',
    operation: 'createChatCompletion',
    input: jsonInput((model) => {
      const image = { type: 'image_url', image_url: { url: PIXEL } };
      const content = [{ type: 'text', text: 'Hi' }, image];
      return { model, messages: [{ role: 'user', content }], max_tokens: 1 };
    }),
  },
  completion: {
    fits: WRITES_TEXT,
    prefers: [/base|davinci|babbage/i, /instruct|completion/i],
    cost: 'tokens',
    operation: 'createCompletion',
    input: jsonInput((model) => ({ model, prompt: 'Hi', max_tokens: 1 })),
  },
  'suffix-completion': {
    fits: WRITES_TEXT,
    prefers: [/instruct|coder?|fim/i],
    cost: 'tokens',
    operation: 'createCompletion',
    input: jsonInput((model) => ({ model, prompt: 'Hi', suffix: '.', max_tokens: 1 })),
  },
  'image-v2': {
    fits: /(?:dall-?e|image)\D*2\b/i,
    hasOwnRules: true,
    prefers: [],
    cost: 'images',
    operation: 'createImage',
    input: imageInput('256x256'),
  },
  'image-v3': {
    fits: /(?:dall-?e|image)\D*3\b/i,
    hasOwnRules: true,
    prefers: [],
    cost: 'images',
    operation: 'createImage',
    input: imageInput('1024x1024'),
  },
  transcription: {
    fits: /whisper|transcri|asr\b|parakeet/i,
    prefers: [/whisper/i],
    cost: 'audio',
    operation: 'createTranscription',
    input: (model) => ({ form: recordingForm(model) }),
  },
  speech: {
    fits: /tts|speech|kokoro|bark/i,
    prefers: [/^tts-1$/],
    cost: 'audio',
    operation: 'createSpeech',
    input: jsonInput((model) => ({ model, input: 'a', voice: 'alloy' })),
  },
  moderation: {
    fits: /moderation|guard/i,
    prefers: [/latest/],
    cost: 'free',
    operation: 'createModeration',
    input: jsonInput((model) => ({ model, input: 'a' })),
  },
  'fine-tuning': {
    fits: WRITES_TEXT,
    prefers: [/small|mini|turbo|babbage/i],
    cost: 'training',
    operation: 'createFineTuningJob',
    // The file does not exist, so no job begins.
    input: jsonInput((model) => ({ model, training_file: 'file-assay-no-such-file' })),
  },
};

/** A quarter of a second of a tone; services refuse recordings shorter than a tenth of a second. */
function recordingForm(model: string): readonly FormPart[] {
  return [
    { name: 'file', file: createToneWave(0.25), filename: 'tone.wav', type: 'audio/wav' },
    { name: 'model', value: model },
  ];
}

export function candidatesFor(
  search: Pick<RoleSearch, 'fits' | 'prefers' | 'hasOwnRules'>,
  models: readonly string[],
): readonly string[] {
  const likely = likelyModels(search, models);
  const others = search.hasOwnRules === true ? [] : models.filter((id) => !likely.includes(id));
  return [...likely, ...others].slice(0, MAX_CANDIDATES);
}

export function likelyModels(
  { fits, prefers }: Pick<RoleSearch, 'fits' | 'prefers'>,
  models: readonly string[],
): readonly string[] {
  const rank = (id: string): number => {
    const best = prefers.findIndex((pattern) => pattern.test(id));
    return best === -1 ? prefers.length : best;
  };
  return models.filter((id) => fits.test(id)).toSorted((a, b) => rank(a) - rank(b));
}
