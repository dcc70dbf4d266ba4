import type { Model } from '../model/catalogue.ts';
import { Refusal } from '../refusal.ts';
import type { Size } from './paint.ts';

/** What the handlers read of an image request; the request schema has accepted it. */
export interface ImageRequest {
  readonly prompt?: string;
  readonly model?: string | null;
  readonly n?: number | null;
  readonly quality?: string | null;
  readonly response_format?: 'url' | 'b64_json' | null;
  readonly size?: string | null;
  readonly style?: string | null;
}

interface Trait {
  readonly sizes: readonly string[];
  readonly promptLength: number;
  readonly most: number;
  /** Whether it takes `quality` and `style`. */
  readonly styled: boolean;
}

/** 2 Images: what the earlier and the later model take. */
const traits: Readonly<Record<string, Trait>> = {
  'image-2': { sizes: ['256x256', '512x512', '1024x1024'], promptLength: 1000, most: 10, styled: false },
  'image-3': { sizes: ['1024x1024', '1792x1024', '1024x1792'], promptLength: 4000, most: 1, styled: true },
};

/** @throws Refusal 400 for what the model does not take; returns the size to paint. */
export function checkImageRequest(model: Model, body: ImageRequest): Size {
  const trait = traits[model.id];
  if (trait === undefined) throw Refusal.invalid('model', `The model '${model.id}' paints no images.`);
  const length = [...(body.prompt ?? '')].length;
  if (length > trait.promptLength) {
    throw Refusal.invalid(
      'prompt',
      `'prompt' must have at most ${trait.promptLength} characters for '${model.id}', but has ${length}.`,
    );
  }
  if ((body.n ?? 1) > trait.most) {
    throw Refusal.invalid('n', `'n' must be at most ${trait.most} for '${model.id}', but is ${body.n}.`);
  }
  for (const field of ['quality', 'style'] as const) {
    if (!trait.styled && body[field] !== undefined && body[field] !== null) {
      throw Refusal.invalid(field, `'${field}' is not supported by '${model.id}'.`);
    }
  }
  const size = body.size ?? '1024x1024';
  if (!trait.sizes.includes(size)) {
    throw Refusal.invalid('size', `'size' must be one of ${trait.sizes.join(', ')} for '${model.id}'.`);
  }
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}
