import { expect, test } from 'vitest';
import type { NeededCondition } from '../../judge/requirements/needed.ts';
import { neededWords } from '../../reports/words/needed.ts';
import { conditionOf } from './place-conditions.ts';
import type { Test } from './test-words.ts';

function wordsFor(place: string, test: Test): string | null {
  const { needs } = conditionOf(place, test) as { readonly needs?: NeededCondition }; // as: rows have no evidence of their own
  return needs === undefined ? null : neededWords({ evidence: 'a run', conditions: [needs] });
}

test('a condition on whether a field is set or has elements has words, except on elements of an earlier response', () => {
  const words = ['request', 'answer', 'before'].map((part) => [
    wordsFor(`${part}.tools`, { set: true }),
    wordsFor(`${part}.tools`, { at_least: 2 }),
    wordsFor(`${part}.tools`, { set: false }),
  ]);
  expect(words).toEqual([
    [
      'none shows a run, whose request sets tools',
      'none shows a run, whose request has at least 2 elements in tools',
      'none shows a run, whose request has no tools, or null',
    ],
    [
      'none shows a run, whose answer has tools',
      'none shows a run, with at least 2 elements in tools',
      'none shows a run, whose answer has no tools, or null',
    ],
    [
      'none shows a run, whose earlier answer has tools',
      null,
      'none shows a run, whose earlier answer has no tools, or null',
    ],
  ]);
});

test('a condition on a type names the part of the evidence, with the article of the type', () => {
  const words = ['request', 'answer', 'before'].map((part) => [
    wordsFor(`${part}.name`, { type: 'text' }),
    wordsFor(`${part}.name`, { type: 'object' }),
  ]);
  expect(words).toEqual([
    [
      'none shows a run, whose request has a text as name',
      'none shows a run, whose request has an object at name',
    ],
    ['none shows a run, with a text as name', 'none shows a run, whose answer has an object at name'],
    [
      'none shows a run, whose earlier answer has a text as name',
      'none shows a run, whose earlier answer has an object at name',
    ],
  ]);
});

test('a condition on several types names each with its article, joined by or', () => {
  expect([
    wordsFor('request.tools', { type: ['object', 'list'] }),
    wordsFor('answer.name', { type: ['text', 'number'] }),
    wordsFor('before.name', { type: ['text'] }),
  ]).toEqual([
    'none shows a run, whose request has an object or a list as tools',
    'none shows a run, with a text or a number as name',
    'none shows a run, whose earlier answer has a text as name',
  ]);
});
