import { pointerTokens } from '../../schemas/pointer.ts';
import { isJsonObject, type Json, type JsonObject } from '../server/json.ts';

/** Computes the replacement of a value; undefined removes it. */
export type ValueChange = (old: Json | undefined) => Json | undefined;

/**
 * A copy of a JSON value, changed at a JSON pointer in which `*` stands for every element of an array.
 * The last token may name a new property; a pointer through a missing property changes nothing.
 */
export function setAtPointer(
  value: Json,
  pointer: string,
  change: ValueChange | Exclude<Json, undefined>,
): Json {
  const make = typeof change === 'function' ? change : () => change;
  return along(value, pointerTokens(pointer), make) ?? null;
}

/**
 * The value with its part at `steps` changed; removed where the change returns undefined. Keys keep their
 * order, so that a fault changes nothing else.
 */
function along(here: Json | undefined, steps: readonly string[], change: ValueChange): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return change(here);
  if (isList(here)) {
    return here.flatMap((item, i) => {
      const wanted = step === '*' || Number(step) === i;
      const changed = wanted ? along(item, rest, change) : item;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isJsonObject(here) || (rest.length > 0 && here[step] === undefined)) return here;
  const changed = along(here[step], rest, change);
  const { [step]: _, ...others } = here;
  if (changed === undefined) return others;
  return here[step] === undefined
    ? { ...here, [step]: changed }
    : Object.fromEntries(Object.entries(here).map(([key, old]) => [key, key === step ? changed : old]));
}

/** The elements of a list envelope. */
export function envelopeElements(answer: Json): readonly JsonObject[] {
  const data = isJsonObject(answer) ? answer['data'] : undefined;
  return isList(data) ? data.filter(isJsonObject) : [];
}

/** `Array.isArray` does not see that a read-only array is one. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
