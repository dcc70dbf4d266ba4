import type { ErrorObject } from './ajv.ts';

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a system, Node or undici error, such as `ENOENT`; null for a value without a code that is text. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Describes one error, preferably an unknown key: `at /errata/0 it must NOT have additional properties: erata`. */
export function describeSchemaError(errors: readonly ErrorObject[] | null | undefined): string {
  const error = errors?.find(({ keyword }) => keyword === 'additionalProperties') ?? errors?.[0];
  if (error === undefined) return 'it is not valid';
  const { instancePath, message, params } = error;
  const place = instancePath === '' ? 'at its root' : `at ${instancePath}`;
  // ajv's message names neither an additional property nor the permitted values.
  const named: unknown = params['additionalProperty'] ?? params['allowedValues'] ?? params['allowedValue'];
  const names = named === undefined ? '' : `: ${[named].flat().join(', ')}`;
  return `${place} it ${message}${names}`;
}
