import { expect, test } from 'vitest';
import { responses } from '../evidence/calls.ts';
import { suppressingAlternatives } from './catalogue.ts';
import type { Choice, Evidence } from './requirement.ts';

test('an alternative that is named like a property of every object takes no evidence away', () => {
  const choice: Choice<Evidence> = {
    id: 'chat.finish-reason.at-limit',
    spec: '2',
    says: 'Which.',
    alternatives: ['length', 'stop'],
    selector: responses('createChatCompletion'),
    taken: () => null,
    takesAway: { stop: ['chat.*'] },
  };
  const suppress = (name: string) => suppressingAlternatives([choice], new Map([[choice.id, [name]]]));
  expect(suppress('constructor')).toEqual([]);
  expect(suppress('stop')).toEqual([{ id: choice.id, alternative: 'stop', patterns: ['chat.*'] }]);
});

test('an unlisted name shows what other alternatives take away if it counts as an alternative that does', () => {
  const choice: Choice<Evidence> = {
    id: 'chat.finish-reason.at-limit',
    spec: '2',
    says: 'Which.',
    alternatives: ['length', 'stop'],
    unlisted: 'length',
    unless: 'length',
    selector: responses('createChatCompletion'),
    taken: () => null,
    takesAway: { stop: ['chat.*'] },
  };
  const suppress = (...names: readonly string[]) =>
    suppressingAlternatives([choice], new Map([[choice.id, names]])).map(({ alternative }) => alternative);
  expect(suppress('stop')).toEqual(['stop']);
  expect(suppress('stop', 'max_length')).toEqual([]);
});
