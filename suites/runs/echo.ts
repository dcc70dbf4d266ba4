import type { Json } from '../../exchange/body.ts';
import { isObject } from '../../judge/json.ts';
import { carries } from '../generate/relations/compare.ts';

/** Whether an answer carries what was asked for, with no more names than that. */
export function repeatsAll(asked: Json | undefined, answer: Json | undefined): boolean {
  if (!carries(asked, answer)) return false;
  return (
    !isObject(asked) || !isObject(answer) || Object.keys(answer).every((key) => Object.hasOwn(asked, key))
  );
}
