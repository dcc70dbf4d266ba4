import { modelsOf } from '../model/catalogue.ts';
import { classify } from '../moderation/classify.ts';
import { ApiError } from '../server/api-error.ts';
import type { Routes } from '../server/handler-request.ts';
import { serves } from '../server/route.ts';

interface ModerationRequest {
  readonly input: string | readonly string[];
  readonly model?: string | null;
}

export const routes: Routes = (service) => [
  serves<ModerationRequest>('createModeration', ({ body }) => {
    const inputs = [body.input].flat();
    if (inputs.some((input) => typeof input !== 'string')) {
      throw ApiError.invalid('input', "'input' must be a string or an array of strings.");
    }
    const model = modelsOf(service).need(body.model ?? 'text-moderation-latest', 'moderation');
    return { id: service.id('modr-'), model: model.id, results: inputs.map(classify) };
  }),
];
