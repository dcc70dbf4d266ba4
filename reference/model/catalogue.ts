import { ApiError, shorten } from '../http/api-error.ts';
import { Collection } from '../state/collection.ts';
import { perService, type Service } from '../state/service.ts';

type Ability =
  | 'chat'
  | 'completion'
  | 'suffix'
  | 'image'
  | 'speech'
  | 'transcription'
  | 'moderation'
  | 'embedding'
  | 'fine-tuning';

export interface Model {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly owned_by: string;
  readonly abilities: ReadonlySet<Ability>;
  /** Maximum number of tokens of prompt and response together; 0 if the model has no token limit. */
  readonly context: number;
}

/** Unix seconds of 2023-11-14 22:13:20 UTC. Each model is a day younger than the previous one. */
const FIRST_RELEASE = 1_700_000_000;
const DAY_SECONDS = 86_400;

const BUILT_IN_MODELS: readonly (readonly [id: string, context: number, ...abilities: Ability[]])[] = [
  ['chat-large', 128_000, 'chat'],
  ['chat-small', 16_384, 'chat', 'fine-tuning'],
  ['text-instruct', 4_096, 'completion', 'suffix'],
  ['text-base', 16_384, 'completion', 'fine-tuning'],
  ['image-2', 0, 'image'],
  ['image-3', 0, 'image'],
  ['tts-1', 0, 'speech'],
  ['tts-1-hd', 0, 'speech'],
  ['transcribe-1', 0, 'transcription'],
  ['embed-1', 8_192, 'embedding'],
  ['text-moderation-latest', 0, 'moderation'],
  ['text-moderation-stable', 0, 'moderation'],
];

export const modelRoles = {
  chat: 'chat-large',
  completion: 'text-base',
  'suffix-completion': 'text-instruct',
  assistant: 'chat-large',
  vision: 'chat-large',
  'image-v2': 'image-2',
  'image-v3': 'image-3',
  transcription: 'transcribe-1',
  speech: 'tts-1',
  moderation: 'text-moderation-latest',
  'fine-tuning': 'chat-small',
} as const;

class ModelCatalogue {
  readonly all = new Collection<Model>();
  readonly #tuned = new Set<string>();

  constructor() {
    for (const [index, [id, context, ...abilities]] of BUILT_IN_MODELS.entries()) {
      const created = FIRST_RELEASE + index * DAY_SECONDS;
      this.all.add({ id, created, owned_by: 'system', abilities: new Set(abilities), context });
    }
  }

  need(id: string, ability?: Ability): Model {
    const model = this.all.get(id);
    if (model === undefined) {
      throw new ApiError(
        404,
        `The model '${shorten(id)}' does not exist; GET /v1/models lists those that do.`,
        { param: 'model', code: 'model_not_found' },
      );
    }
    if (ability !== undefined && !model.abilities.has(ability)) {
      const capable = this.all.values().filter(({ abilities }) => abilities.has(ability));
      const ids = capable.map((other) => other.id).join(', ');
      throw ApiError.invalid('model', `The model '${id}' does not support ${ability}; use one of ${ids}.`);
    }
    return model;
  }

  addTuned(model: Model): void {
    this.#tuned.add(model.id);
    this.all.add(model);
  }

  delete(id: string): void {
    this.need(id);
    if (!this.#tuned.delete(id)) {
      const message = `The model '${id}' cannot be deleted: only fine-tuned models can.`;
      throw new ApiError(403, message, { param: 'model' });
    }
    this.all.delete(id);
  }
}

export const modelsOf: (service: Service) => ModelCatalogue = perService(() => new ModelCatalogue());
