import { schema } from '../../schemas/index.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';

/** The categories that the specification lists. */
export const LISTED: ReadonlySet<string> = new Set(listedCategories());

/** The categories that the response schema lists. */
function listedCategories(): string[] {
  // as: schemas are JSON
  const keys = valueAtPath(
    schema('moderation') as never,
    'properties',
    'results',
    'items',
    'properties',
    'categories',
  );
  return arrayAt(keys, 'required').filter((key) => typeof key === 'string');
}
