import type { Json } from '../../../exchange/http/body.ts';
import { isObject } from '../../../judge/evidence/json.ts';
import { containsRequested } from '../../generate/relations/compare.ts';

/** Whether an answer carries what was asked for, with no more names than that. */
export function echoesRequest(asked: Json | undefined, answer: Json | undefined): boolean {
  if (!containsRequested(asked, answer)) return false;
  return (
    !isObject(asked) || !isObject(answer) || Object.keys(answer).every((key) => Object.hasOwn(asked, key))
  );
}

/** A date, in full or short, or a version: what names of the same model may end in. */
const EDITION = /^(?:[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{3,4}|v\d[\d.:]*|latest))*$/;

/**
 * Whether a run reports the requested model. It reports the model that it used: where ids stand for others, that
 * may be the same name with a date, a version or an owner. Any other addition names another model.
 */
export function namesRequestedModel(meant: Json | undefined, told: Json | undefined): boolean {
  if (typeof meant !== 'string' || typeof told !== 'string' || meant === '') return meant === told;
  const at = `/${told}`.lastIndexOf(`/${meant}`);
  return at !== -1 && EDITION.test(told.slice(at + meant.length));
}
