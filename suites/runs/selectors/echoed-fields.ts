import type { Json } from '../../vocabulary/types.ts';

/** Allowed endings of a longer name of the same model: a date, in full or short, or a version. */
const EDITION = /^(?:[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{3,4}|v\d[\d.:]*|latest))*$/;

/**
 * Whether a run reports the requested model. It reports the model that it used: where ids stand for others, that
 * may be the same name with a date, a version or an owner. Any other addition names another model.
 */
export function namesRequestedModel(requested: Json | undefined, reported: Json | undefined): boolean {
  if (typeof requested !== 'string' || typeof reported !== 'string' || requested === '')
    return requested === reported;
  const at = `/${reported}`.lastIndexOf(`/${requested}`);
  return at !== -1 && EDITION.test(reported.slice(at + requested.length));
}
