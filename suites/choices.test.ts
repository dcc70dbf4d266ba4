import { expect, test } from 'vitest';
import { carriedConstraints } from '../judge/schema/carried-schemas.ts';
import { schema, schemaNames } from '../schemas/index.ts';
import { catalogue } from './index.ts';

const { choices, exclusions } = await catalogue();
const constraints = carriedConstraints();

/** Requirements that an alternative of a choice about this place would break. */
function contradicting(place: string, alternative: string): readonly string[] {
  const demands = ['required', 'expected'].map((keyword) => `${place}#${keyword}`);
  // Something that is not reported under this name may be reported under another.
  if (['absent', 'not told', 'without them', 'none'].includes(alternative))
    return demands.filter((id) => constraints.has(id));
  const type = constraints.get(`${place}#type`);
  const refusesNull = alternative === 'null' && Array.isArray(type?.value) && !type.value.includes('null');
  return refusesNull ? [`${place}#type`] : [];
}

const placed = choices.flatMap(({ id, places = [], alternatives }) =>
  places.map((place) => ({ id, place, alternatives })),
);

test.each(placed)('no requirement contradicts $id at $place', ({ place, alternatives }) => {
  expect([...constraints.keys()].some((id) => id.startsWith(`${place}#`))).toBe(true);
  const exceptions = EXCEPTIONS[place] ?? [];
  const found = alternatives.flatMap((alternative) => contradicting(place, alternative));
  expect(found.filter((id) => !exceptions.includes(id))).toEqual([]);
});

/** Requirements that may stand beside a choice about their place, which is about their value. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // A time that is not reported is null.
  'fine_tuning.job:finished_at': ['fine_tuning.job:finished_at#expected'],
};

test('what schemas leave open is a choice or an exclusion', () => {
  const known = new Set([...choices, ...exclusions].map(({ id }) => id));
  const named = schemaNames().flatMap((name) => [
    ...JSON.stringify(schema(name)).matchAll(/"x-null":"([^"]+)"|"x-open":\{"by":"([^"]+)"/g),
  ]);
  expect(named.length).toBeGreaterThan(0);
  expect(named.map(([, first, second]) => first ?? second).filter((id) => !known.has(id ?? ''))).toEqual([]);
});
