import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { matchesGlob } from '../exchange/glob.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { catalogue } from './index.ts';

const all = await catalogue();
const ids = {
  judged: [...requirementsOf(all).keys()],
  choice: all.choices.map(({ id }) => id),
  exclusion: all.exclusions.map(({ id }) => id),
};
const page = readFileSync(new URL('../docs/second-reading.md', import.meta.url), 'utf8');
const answers = page
  .split('\n')
  .filter((line) => /^\| (?!entry |---)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '))
  .map(([entry = '', ...cells]) => ({ entry, answer: cells.join(' | ') }));

/** The parts of an answer: `judged by …`, `choice … because …`, `exclusion … because …`, `the list is wrong …`. */
function partsOf(answer: string): readonly string[] {
  return answer.split(/; (?=judged by |choice |exclusion |the list is wrong )/);
}

const FORM =
  /^(judged by `|(choice|exclusion) `[^`]+`(, `[^`]+`)* because ["\w]|the list is wrong because \w)/;

test('each entry has an answer in one of the four forms', () => {
  expect(answers.length).toBeGreaterThanOrEqual(110);
  const malformed = answers.flatMap(({ answer }) => partsOf(answer)).filter((part) => !FORM.test(part));
  expect(malformed).toEqual([]);
});

test('ids that an answer names are in the catalogue, with the kind that it says', () => {
  const parts = answers.flatMap(({ answer }) => partsOf(answer));
  const unknown = parts.flatMap((part) => {
    const kind = part.startsWith('choice') ? 'choice' : part.startsWith('exclusion') ? 'exclusion' : 'judged';
    const [named = ''] = /^[a-z ]*`[^`]+`(, `[^`]+`)*/.exec(part) ?? [];
    const globs = [...named.matchAll(/`([^`]+)`/g)].map(([, glob = '']) => glob);
    return globs.filter((glob) => !ids[kind].some((id) => matchesGlob(glob, id)));
  });
  expect(unknown).toEqual([]);
});
