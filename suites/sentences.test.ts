import { expect, test } from 'vitest';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { catalogue } from './index.ts';

const all = await catalogue('both');
const sentences = [
  ...[...requirementsOf(all).values()].map(({ id, says }) => ({ id, text: says })),
  ...all.choices.map(({ id, says }) => ({ id, text: says })),
  ...all.exclusions.flatMap(({ id, says, reason }) => [
    { id, text: says },
    { id: `${id}: reason`, text: reason },
  ]),
];
/** The sentences without code, quoted values and the pattern of model names. No two placeholders of one are equal. */
const prose = sentences.map(({ id, text }) => ({
  id,
  text: text.replaceAll(/`[^`]*`|"[^"]*"|\^ft:\S+\$/g, (_, offset) => `x${offset}`),
}));

const findMatches = (form: RegExp) => prose.filter(({ text }) => form.test(text));

test('each sentence starts without white space and ends in one full stop', () => {
  expect(sentences.length).toBeGreaterThan(4000);
  expect(prose.filter(({ text }) => !/^\S.*[^\s.,;:]\.$/.test(text))).toEqual([]);
});

test('no sentence has an unfilled place, misplaced punctuation or a doubled word', () => {
  expect(findMatches(/,\s*[.,;]| {2}|\s[.,;:?!](\s|$)|\(\)|\bundefined\b|\[object/)).toEqual([]);
  expect(findMatches(/\b(?!that\b)([a-z]+) \1\b/i)).toEqual([]);
});

test('no sentence has a double negation', () => {
  expect(findMatches(/\bnot\b[^,.;]*\bnot\b[^,.;]*\bor\b/)).toEqual([]);
  expect(findMatches(/\b(never|cannot|neither)\b[^,.;:]*\b(not|never|no|nobody|nothing)\b/)).toEqual([]);
});
