import { expect, test } from 'vitest';
import { readDialect } from '../dialects/dialect.ts';
import { isKnownCause, listedCauses, listedFeatures } from './feature-list.ts';

test('features are listed by operation, each once', () => {
  const chat = listedFeatures().get('createChatCompletion') ?? [];
  expect(chat).toEqual(
    expect.arrayContaining(['body.n>1', 'body.tools', 'body.stream=true', 'body.logprobs=true']),
  );
  expect(listedFeatures().get('listFiles')).toContain('query.purpose');
  for (const features of listedFeatures().values()) expect(new Set(features).size).toBe(features.length);
});

test('a cause is known if each of its features is listed for its operation or for all operations', () => {
  expect(isKnownCause('createChatCompletion:accepts#body.n>1')).toBe(true);
  expect(isKnownCause('createChatCompletion:accepts#body.n>1&body.stream=true')).toBe(true);
  expect(isKnownCause('createChatCompletion:accepts#context.beside>=4')).toBe(true);
  expect(isKnownCause('createChatCompletion:accepts#at-random')).toBe(true);
  expect(isKnownCause('createChatCompletion:accepts#body.best_of')).toBe(false);
  expect(isKnownCause('createChatCompletion:accepts#body.n>1&body.best_of')).toBe(false);
  expect(isKnownCause('createChatCompletion:accepts')).toBe(false);
});

const EXCUSED_CAUSE = 'createChatCompletion:accepts#body.n>1';
const excuses = [{ requirements: [EXCUSED_CAUSE], found: true }];
const errata = [{ id: 'one', reason: 'one choice only', excuses }];
const dialect = readDialect(JSON.stringify({ dialect: 1, name: 'd', errata }), 'd.json');

test('a dialect excuses one cause, and no other of the same requirement', () => {
  const otherCause = 'createChatCompletion:accepts#body.tools';
  const violation = { at: '', expected: '', actual: 'refuses' };
  const excuse = (causeId: string) =>
    dialect.excuse('createChatCompletion:accepts', { ...violation, causeId }, null)?.id ?? null;
  expect([excuse(EXCUSED_CAUSE), excuse(otherCause)]).toEqual(['one', null]);
});

test('the pattern of a dialect may be a listed cause', () => {
  expect(dialect.unknownPatterns(listedCauses())).toEqual([]);
});
