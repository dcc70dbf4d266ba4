import { expect, test } from 'vitest';
import { MODEL_ROLES } from '../scenario/model-roles.ts';
import { configureForReference, configureForTarget, type Settings } from './configuration.ts';
import { COST_CLASSES, readSettings } from './settings.ts';

function read(flags: Readonly<Record<string, unknown>>): Settings {
  return readSettings({ flags, env: {}, file: null, readText: () => '' });
}

test('a remote target gets the cheap cost classes and four concurrent scenarios', () => {
  const configuration = configureForTarget(read({ baseUrl: 'https://api.example/v1' }), null);
  expect(configuration.target).toEqual({
    baseUrl: 'https://api.example/v1',
    name: 'api.example',
    embedded: false,
    pace: 1,
  });
  expect([configuration.allow, configuration.concurrency]).toEqual([['free', 'tokens'], 4]);
});

test('allowed cost classes are added to the default ones, or replace them if the list has none or free', () => {
  const allow = (given: string) =>
    configureForTarget(read({ baseUrl: 'http://a', allow: given }), null).allow;
  expect(allow('large')).toEqual(['free', 'tokens', 'large']);
  expect(allow('audio,none')).toEqual(['free', 'audio']);
  expect(allow('audio,free')).toEqual(['free', 'audio']);
  expect(allow('none')).toEqual(['free']);
});

test('a target without a base URL is rejected', () => {
  expect(() => configureForTarget(read({}), null)).toThrow('--base-url');
});

test('the reference gets all cost classes except large, and sixteen concurrent scenarios', () => {
  const models = Object.fromEntries(MODEL_ROLES.map((role) => [role, `a-${role}`])) as Record<
    (typeof MODEL_ROLES)[number],
    string
  >; // as: from the list of roles
  const embedded = { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'key', secondKey: null, models, pace: 1 };
  const configuration = configureForReference(read({}), embedded, null);
  expect(configuration.target.embedded).toBe(true);
  expect(configuration.allow).toEqual(COST_CLASSES.filter((cost) => cost !== 'large'));
  expect([configuration.concurrency, configuration.apiKey]).toEqual([16, 'key']);
});

test('the beta header of a dialect is used', () => {
  const dialect = { given: 'd', name: 'd', digest: '0', betaHeader: 'Other-Beta', paths: {} };
  expect(configureForTarget(read({ baseUrl: 'http://x' }), dialect).betaHeader).toBe('Other-Beta');
});
