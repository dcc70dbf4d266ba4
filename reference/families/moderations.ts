import type { Routes } from '../call.ts';
import { modelsOf } from '../model/catalogue.ts';
import { classify } from '../moderation/classify.ts';
import { Refusal } from '../refusal.ts';
import { serves } from '../route.ts';

interface ModerationRequest {
  readonly input: string | readonly string[];
  readonly model?: string | null;
}

export const routes: Routes = (service) => [
  serves<ModerationRequest>('createModeration', ({ body }) => {
    const inputs = [body.input].flat();
    if (inputs.some((input) => typeof input !== 'string')) {
      throw Refusal.invalid('input', "'input' must be a string or an array of strings.");
    }
    const model = modelsOf(service).need(body.model ?? 'text-moderation-latest', 'moderation');
    return { id: service.id('modr-'), model: model.id, results: inputs.map(classify) };
  }),
];
