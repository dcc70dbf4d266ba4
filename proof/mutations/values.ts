// Edits of JSON values at JSON pointers (RFC 6901). An edit that does not apply returns the same object.
import type { Json } from '../../exchange/http/body.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { pointerTokens } from '../../schemas/pointer.ts';

/** Returns the same value if it does not apply. */
export type Edit = (value: Json) => Json;

/** A value, or a function of the old one. */
export type NewValue = Json | ((old: Json | undefined) => Json);

/** Sets a value at a pointer. `*` selects every element or property; the last step may be new. */
export function setValue(pointer: string, value: NewValue): Edit {
  const make = typeof value === 'function' ? value : () => value;
  return (root) => changeAlong(root, pointerTokens(pointer), (old) => ({ value: make(old) }));
}

/** Removes the value at a pointer. */
export function removeValue(pointer: string): Edit {
  return (root) =>
    changeAlong(root, pointerTokens(pointer), (old) => (old === undefined ? null : { value: undefined }));
}

/** Applies edits in sequence. */
export function allEdits(...edits: readonly Edit[]): Edit {
  return (value) => edits.reduce((changed, edit) => edit(changed), value);
}

type Change = (old: Json | undefined) => { readonly value: Json | undefined } | null;

function changeAlong(here: Json, steps: readonly string[], change: Change): Json {
  const [step, ...rest] = steps;
  if (step === undefined) {
    const changed = change(here);
    return changed?.value === undefined ? here : changed.value;
  }
  if (step === '*') return editEach(here, (value) => changeAlong(value, rest, change));
  const inner = (old: Json | undefined): { readonly value: Json | undefined } | null => {
    if (rest.length === 0) return change(old);
    return old === undefined ? null : { value: changeAlong(old, rest, change) };
  };
  return changeInside(here, step, inner);
}

function changeInside(here: Json, step: string, change: Change): Json {
  return Array.isArray(here) ? inArray(here, Number(step), change) : inObject(here, step, change);
}

function editEach(here: Json, edit: Edit): Json {
  let changed = here;
  const keys = typeof here === 'object' && here !== null ? Object.keys(here) : [];
  for (const key of keys)
    changed = changeInside(changed, key, (old) => ({ value: old === undefined ? old : edit(old) }));
  return changed;
}

function inArray(here: readonly Json[], index: number, change: Change): Json {
  const old = here[index];
  const changed = index <= here.length ? change(old) : null;
  if (changed === null || changed.value === old) return here;
  return here.toSpliced(index, 1, ...(changed.value === undefined ? [] : [changed.value]));
}

function inObject(here: Json, key: string, change: Change): Json {
  if (!isJsonObject(here)) return here;
  const old = Object.hasOwn(here, key) ? here[key] : undefined;
  const changed = change(old);
  if (changed === null || changed.value === old) return here;
  const { [key]: _, ...others } = here;
  if (changed.value === undefined) return others;
  return old === undefined ? { ...others, [key]: changed.value } : replaced(here, key, changed.value);
}

function replaced(here: { readonly [key: string]: Json }, key: string, value: Json): Json {
  return Object.fromEntries(Object.entries(here).map(([name, old]) => [name, name === key ? value : old]));
}
