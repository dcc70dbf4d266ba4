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

/**
 * Whether a run tells the model that is meant. It tells the one it used: where ids stand for others, that may be the
 * same name with a date, a version or an owner.
 */
export function namesModel(meant: Json | undefined, told: Json | undefined): boolean {
  if (typeof meant !== 'string' || typeof told !== 'string' || meant === '') return meant === told;
  return `/${told}-`.split(meant).some((before, i, parts) => {
    const after = parts[i + 1];
    return after !== undefined && /[-/@:]$/.test(before) && /^[-/@:]/.test(after);
  });
}
