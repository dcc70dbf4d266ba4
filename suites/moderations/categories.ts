import { schema } from '../../schemas/index.ts';
import { arrayAt, valueAtPath } from '../vocabulary/json.ts';
import type { Json } from '../vocabulary/types.ts';

const RESULT_PROPERTIES = ['properties', 'results', 'items', 'properties'] as const;
// as: schemas are JSON
const categories = valueAtPath(schema('moderation') as Json, ...RESULT_PROPERTIES, 'categories');

export const LISTED_CATEGORIES: ReadonlySet<string> = new Set(
  arrayAt(categories, 'required').filter((name) => typeof name === 'string'),
);
