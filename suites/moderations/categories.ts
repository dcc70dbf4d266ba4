import { get, list } from '../../judge/json.ts';
import { schema } from '../../schemas/index.ts';

/** The categories that the specification lists. */
export const LISTED: ReadonlySet<string> = new Set(listed());

/** The categories that the schema of an answer lists. */
function listed(): string[] {
  // as: schemas are JSON
  const keys = get(
    schema('moderation') as never,
    'properties',
    'results',
    'items',
    'properties',
    'categories',
  );
  return list(keys, 'required').filter((key) => typeof key === 'string');
}
