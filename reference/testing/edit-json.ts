export interface JsonEdit {
  /** Number of the changed member or element, counted from 0 through the whole value; wraps around at their count. */
  readonly at: number;
  /** The new value; serialized, undefined omits a member, and is null in an array. */
  readonly to: unknown;
}

/** Returns a copy with each edit applied in turn; a value without members or elements is unchanged. */
export function editJson(value: unknown, edits: readonly JsonEdit[]): unknown {
  const edited: unknown = structuredClone(value);
  for (const { at, to } of edits) {
    const setters = collectSetters(edited);
    setters[at % setters.length]?.(structuredClone(to));
  }
  return edited;
}

function collectSetters(value: unknown): ((to: unknown) => void)[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => [
    (to: unknown) => Reflect.set(value, key, to),
    ...collectSetters(Reflect.get(value, key)),
  ]);
}
