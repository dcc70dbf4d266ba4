import type { Json } from '../../schemas/json.ts';

/** Suffixes that a longer name of the same model may have: a date, in full or short, a version or `latest`. */
const EDITION = /^(?:[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{3,4}|v\d[\d.:]*|latest))*$/;

/**
 * For an alias, the response may name the model behind it: the same name with a date, a version or an owner.
 * Any other addition names another model.
 */
export function isSameModel(requested: Json | undefined, reported: Json | undefined): boolean {
  if (typeof requested !== 'string' || typeof reported !== 'string' || requested === '')
    return requested === reported;
  const at = `/${reported}`.lastIndexOf(`/${requested}`);
  return at !== -1 && EDITION.test(reported.slice(at + requested.length));
}
