// Moderations (2 Moderations): categories are flagged by words, see `moderation/classify.ts`.
import { modelsOf } from '../model/catalogue.ts';
import { classify } from '../moderation/classify.ts';
import { ApiError } from '../server/api-error.ts';
import type { Routes } from '../server/handler-request.ts';
import { serves } from '../server/route.ts';

/** Body of a moderation request, validated but for the types inside an array. */
interface ModerationRequest {
  readonly input: string | readonly string[];
  readonly model?: string | null;
}

/** Route of moderations: one result for each input, in their order. */
export const routes: Routes = (service) => [
  serves<ModerationRequest>('createModeration', ({ body }) => {
    const inputs = [body.input].flat();
    // The schema leaves the elements of the array open.
    if (inputs.some((input) => typeof input !== 'string')) {
      throw ApiError.invalid('input', "'input' must be a string or an array of strings.");
    }
    const model = modelsOf(service).need(body.model ?? 'text-moderation-latest', 'moderation');
    return { id: service.id('modr-'), model: model.id, results: inputs.map(classify) };
  }),
];
