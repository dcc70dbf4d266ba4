// The reading rules of docs/reading-rules.md: equal words of the specification have equal treatment.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { matchesGlob } from '../exchange/glob.ts';
import { type RequestConstraint, requestConstraints } from '../judge/probe/constraints.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { carriedConstraints } from '../judge/schema/carried-schemas.ts';
import { catalogue } from './index.ts';

const all = await catalogue();
const requirements = [...requirementsOf(all).values()];
const page = readFileSync(new URL('../docs/reading-rules.md', import.meta.url), 'utf8');

/** Keywords that bound a value: whatever states one states what is inside and what is outside of it. */
const BOUNDS = ['minimum', 'maximum', 'maxLength', 'maxItems', 'maxProperties', 'enum', 'const'];

/** Places where words have another treatment than elsewhere, as the table of exceptions in docs/reading-rules.md has them. */
const EXCEPTIONS = ['*:query.limit#minimum', '*:query.limit#maximum'];

function idOf({ subject, pointer, keyword }: RequestConstraint): string {
  return `${subject}:${pointer}#${keyword}`;
}

test('a range, a limit and a list of values are accepted inside and refused outside, everywhere', () => {
  const bounded = requestConstraints().filter(({ keyword }) => BOUNDS.includes(keyword));
  const onesided = bounded
    .filter(({ sides, open }) => sides.length < 2 && open === null)
    .map(idOf)
    .filter((id) => !EXCEPTIONS.some((glob) => matchesGlob(glob, id)));
  expect(bounded.length).toBeGreaterThan(100);
  expect(onesided).toEqual([]);
});

test('every exception is needed, and is explained on the page', () => {
  const ids = requestConstraints().map(idOf);
  for (const glob of EXCEPTIONS) {
    expect(ids.some((id) => matchesGlob(glob, id))).toBe(true);
    expect(page).toContain(`\`${glob}\``);
  }
});

test('that something is refused is implied, as no sentence says what a refused request gets', () => {
  const refusing = requirements.filter(
    ({ id, says }) => id.endsWith('.rejected') || /\b(refused|rejected|not carried out)\b/.test(says),
  );
  expect(refusing.length).toBeGreaterThan(500);
  expect(refusing.filter(({ basis }) => basis === 'stated').map(({ id }) => id)).toEqual([]);
});

test('values that are only seen close no list', () => {
  const closed = [...carriedConstraints().values()].filter(
    ({ keyword }) => keyword === 'enum' || keyword === 'const',
  );
  expect(closed.filter(({ node }) => node.notes['x-open-enum'] !== undefined)).toEqual([]);
});

test('the first state that a table gives is demanded of every creation', () => {
  const ids = new Set(requirements.map(({ id }) => id));
  const first = [
    'fine-tuning.create.queued',
    'batches.create.validating',
    'vector-store-file-batches.create.in-progress',
    'thread.run.created:status#const',
  ];
  expect(first.filter((id) => !ids.has(id))).toEqual([]);
});

test('no requirement is one that no target can show', () => {
  // Results that need half a gigabyte come from a separate scenario, where --allow large permits it.
  const shown = requirements.filter(({ id }) => all.infeasible.some((one) => matchesGlob(one.id, id)));
  expect(shown.filter(({ id }) => !all.scenarios.some(({ shows }) => shows?.has(id)))).toEqual([]);
});
