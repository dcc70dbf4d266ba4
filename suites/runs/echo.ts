import type { Json } from '../../exchange/body.ts';
import { get, isObject } from '../../judge/json.ts';

/**
 * Whether an answer repeats what was asked for. What the answer tells beyond it is free; a null in what was asked for
 * is as good as nothing.
 */
export function repeats(asked: Json | undefined, answer: Json | undefined): boolean {
  if (asked === undefined || asked === null) return true;
  if (Array.isArray(asked)) {
    if (!Array.isArray(answer) || answer.length !== asked.length) return false;
    return asked.every((one: Json, i) => repeats(one, answer[i]));
  }
  if (!isObject(asked)) return asked === answer;
  return isObject(answer) && Object.entries(asked).every(([key, value]) => repeats(value, get(answer, key)));
}

/** As `repeats`, and with no more names than asked for. */
export function repeatsAll(asked: Json | undefined, answer: Json | undefined): boolean {
  if (!repeats(asked, answer)) return false;
  return (
    !isObject(asked) || !isObject(answer) || Object.keys(answer).every((key) => Object.hasOwn(asked, key))
  );
}
