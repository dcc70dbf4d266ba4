// Embeddings, which the specification names as a batch target without a schema.
import { ApiError } from '../http/api-error.ts';
import type { Json } from '../http/json.ts';
import { type Routes, servesCustomary } from '../http/route.ts';
import { modelsOf } from '../model/catalogue.ts';
import { countTokens, detokenize } from '../model/tokens.ts';
import { hashText, randomSequence } from '../state/ids.ts';

const DEFAULT_DIMENSIONS = 256;
const MAX_DIMENSIONS = 3072;
const MAX_INPUTS = 2048;

export const routes: Routes = (service) => [
  servesCustomary('POST', '/v1/embeddings', ({ body }) => {
    const model = modelsOf(service).need(typeof body['model'] === 'string' ? body['model'] : '', 'embedding');
    const texts = readInputs(body['input']);
    const dimensions = body['dimensions'] ?? DEFAULT_DIMENSIONS;
    if (
      typeof dimensions !== 'number' ||
      !Number.isInteger(dimensions) ||
      dimensions < 1 ||
      dimensions > MAX_DIMENSIONS
    ) {
      throw ApiError.invalid('dimensions', `'dimensions' must be an integer from 1 to ${MAX_DIMENSIONS}.`);
    }
    const counts = texts.map(countTokens);
    const longest = Math.max(0, ...counts);
    if (longest > model.context) {
      const message = `A text in 'input' must have at most ${model.context} tokens, but one has ${longest}.`;
      throw ApiError.invalid('input', message, 'context_length_exceeded');
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    const data = texts.map((text, index) => {
      const vector = embed(text, dimensions);
      return {
        object: 'embedding',
        index,
        // Clients request base64 by default, because numbers in JSON take several times the space.
        embedding: body['encoding_format'] === 'base64' ? encodeBase64(vector) : vector,
      };
    });
    return { object: 'list', model: model.id, data, usage: { prompt_tokens: total, total_tokens: total } };
  }),
];

function readInputs(input: Json | undefined): string[] {
  const inputs = Array.isArray(input) && !input.every((part) => typeof part === 'number') ? input : [input];
  if (inputs.length > MAX_INPUTS)
    throw ApiError.invalid('input', `'input' must hold at most ${MAX_INPUTS} texts.`);
  return inputs.map((part) => {
    if (typeof part === 'string') return part;
    // Token ids of one text, as the tokenizer of `model/tokens.ts` defines them.
    const ids = Array.isArray(part) ? part.filter((id) => typeof id === 'number') : [];
    if (Array.isArray(part) && ids.length > 0 && ids.length === part.length) return detokenize(ids);
    throw ApiError.invalid('input', "'input' must be a string, token ids, or an array of either.");
  });
}

function embed(text: string, dimensions: number): number[] {
  const random = randomSequence(hashText(text));
  const values = Array.from({ length: dimensions }, () => random() * 2 - 1);
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}

function encodeBase64(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}
