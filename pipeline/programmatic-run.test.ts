import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { settingsOfConfiguration } from './programmatic-run.ts';

beforeEach(() => {
  vi.stubEnv('ASSAY_API_KEY', undefined);
  vi.stubEnv('ASSAY_API_KEY_ENV', 'ANOTHER_KEY');
  vi.stubEnv('ANOTHER_KEY', 'sk-of-the-environment');
  vi.stubEnv('OPENAI_API_KEY', 'sk-of-openai');
});
afterEach(() => vi.unstubAllEnvs());

test('the key of the environment applies if the configuration has none', () => {
  expect(settingsOfConfiguration({}).apiKey).toBe('sk-of-the-environment');
});

test.each([
  ['sk-of-the-configuration', 'sk-of-the-configuration'],
  ['', null],
])('the key %j of a configuration replaces those of the environment', (apiKey, expected) => {
  expect(settingsOfConfiguration({ apiKey }).apiKey).toBe(expected);
});
