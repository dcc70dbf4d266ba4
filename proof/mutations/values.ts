// Edits of JSON values at JSON pointers (RFC 6901).
import type { Json } from '../../exchange/http/body.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { pointerTokens } from '../../schemas/pointer.ts';

/** A change of a value; returns the same value if it does not apply. */
export type Edit = (value: Json) => Json;

/** Returns the new value; undefined removes the old one, or adds none. At a final `*`, undefined changes nothing. */
type Change = (old: Json | undefined) => Json | undefined;

export type NewValue = Json | Change;

/** Sets a value at a pointer. `*` selects every existing element or property; the last step may be new. */
export function setValue(pointer: string, value: NewValue): Edit {
  const make = typeof value === 'function' ? value : () => value;
  return (root) => changeAlong(root, pointerTokens(pointer), make);
}

/** Removes the value at a pointer, whose last step must not be `*`. */
export function removeValue(pointer: string): Edit {
  return (root) => changeAlong(root, pointerTokens(pointer), () => undefined);
}

/** Applies edits in sequence. */
export function allEdits(...edits: readonly Edit[]): Edit {
  return (value) => edits.reduce((changed, edit) => edit(changed), value);
}

/** RFC 6901, section 4: decimal digits without leading zeros. */
const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

function changeAlong(here: Json, steps: readonly string[], change: Change): Json {
  const [step, ...laterSteps] = steps;
  if (step === undefined) {
    const changed = change(here);
    return changed === undefined ? here : changed;
  }
  const changeBelow: Change = (old) => (old === undefined ? old : changeAlong(old, laterSteps, change));
  if (step !== '*') return changeInside(here, step, laterSteps.length === 0 ? change : changeBelow);
  const keys = typeof here === 'object' && here !== null ? Object.keys(here) : [];
  return keys.reduce((changed, key) => changeInside(changed, key, changeBelow), here);
}

function changeInside(here: Json, step: string, change: Change): Json {
  return Array.isArray(here) ? changeElement(here, step, change) : changeMember(here, step, change);
}

function changeElement(here: readonly Json[], step: string, change: Change): Json {
  const index = Number(step);
  if (!ARRAY_INDEX.test(step) || index > here.length) return here;
  const old = here[index];
  const changed = change(old);
  if (changed === old) return here;
  return here.toSpliced(index, 1, ...(changed === undefined ? [] : [changed]));
}

function changeMember(here: Json, key: string, change: Change): Json {
  if (!isJsonObject(here)) return here;
  const old = Object.hasOwn(here, key) ? here[key] : undefined;
  const changed = change(old);
  if (changed === old) return here;
  const { [key]: _, ...others } = here;
  return changed === undefined ? others : { ...here, [key]: changed };
}
