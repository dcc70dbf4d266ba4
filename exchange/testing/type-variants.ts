const VALUES_OF_TYPES: readonly unknown[] = [null, true, -1, 99_999_999_999, 'x', [], [null], {}, { x: [] }];

/** Copies of a JSON document, each with one value replaced or one member of an object removed. */
export function* typeVariants(
  document: unknown,
): Generator<{ readonly path: string; readonly value: unknown }> {
  for (const value of VALUES_OF_TYPES) if (classify(value) !== classify(document)) yield { path: '', value };
  if (typeof document !== 'object' || document === null) return;
  for (const [name, member] of Object.entries(document)) {
    for (const { path, value } of typeVariants(member)) {
      const copy: unknown[] | Record<string, unknown> = Array.isArray(document)
        ? [...document]
        : { ...document };
      Object.assign(copy, { [name]: value });
      yield { path: `/${name}${path}`, value: copy };
    }
    if (!Array.isArray(document)) {
      const { [name]: _, ...rest } = { ...document } as Record<string, unknown>; // as: an object with any members
      yield { path: `/${name} missing`, value: rest };
    }
  }
}

function classify(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array of ${value.length}`;
  return typeof value === 'number' ? `number ${value}` : typeof value;
}
