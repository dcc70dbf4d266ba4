import { ApiError } from './api-error.ts';

/** @throws ApiError 400 when a number lies outside the limits; null and undefined pass. */
export function range(name: string, value: number | null | undefined, least: number, most: number): void {
  if (value === null || value === undefined || (value >= least && value <= most)) return;
  throw ApiError.invalid(name, `'${name}' must be between ${least} and ${most}, but is ${value}.`);
}

/** @throws ApiError 400 when prompt and completion together exceed the context of the model; all numbers are tokens. */
export function checkContext(field: string, prompt: number, answer: number, context: number): void {
  if (prompt + answer <= context && prompt < context) return;
  throw ApiError.invalid(
    field,
    `The context holds ${context} tokens, but '${field}' has ${prompt} and 'max_tokens' asks for ${answer}.`,
    'context_length_exceeded',
  );
}
