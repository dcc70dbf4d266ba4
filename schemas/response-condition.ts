import type { ResponseShape, Variant } from './contract.ts';
import { isObject } from './json.ts';
import { schema } from './load.ts';

/** Whether a request meets the condition of a response. Absent fields count as their stated default, or as null. */
export function fulfils(
  when: NonNullable<ResponseShape['when']>,
  asked: unknown,
  variant: Pick<Variant, 'body'>,
): boolean {
  return Object.entries(when).every(([field, values]) => {
    const sent = isObject(asked) && Object.hasOwn(asked, field) ? asked[field] : undefined;
    return values.includes(sent ?? defaultOf(variant, field));
  });
}

/** The stated default of a body field, or null. */
function defaultOf({ body }: Pick<Variant, 'body'>, field: string): unknown {
  const properties = body === null ? undefined : schema(body.schema)['properties'];
  const stated = isObject(properties) ? properties[field] : undefined;
  return isObject(stated) ? (stated['default'] ?? null) : null;
}
