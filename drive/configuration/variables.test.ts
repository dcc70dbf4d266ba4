import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';
import { OPTION_NAMES, unknownVariableLines, variableOf } from './variables.ts';

test('only a set variable `ASSAY_…` that nothing reads is warned about, with the nearest name if one is similar', () => {
  const env = {
    ...{ ASSAY_BASEURL: 'http://127.0.0.1:1', ASSAY_QQQQ: '1', ASSAY_EMPTY: '', MY_ASSAY_X: '1' },
    ...{ ASSAY_API_KEY: 'a', ASSAY_CLAIM: 'chat', ASSAY_SECOND_KEY_ENV: 'ASSAY_SECOND', ASSAY_SECOND: 'b' },
    ...{ ASSAY_OF_FLAG: 'c', ASSAY_ROTATION: '1', ASSAY_RUN_ARGS: '--trace' },
  };
  expect(unknownVariableLines(env, (name) => name === 'ASSAY_OF_FLAG')).toEqual([
    'The environment variable ASSAY_BASEURL sets no option of assay; the nearest name that does is ASSAY_BASE_URL.',
    'The environment variable ASSAY_QQQQ sets no option of assay.',
  ]);
});

test('every listed option is read from its variable', () => {
  const read = new Set<string>();
  const env = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) });
  readSettings({ flags: {}, env, file: null, readText: () => '' });
  expect(OPTION_NAMES.map(variableOf).filter((name) => !read.has(name))).toEqual([]);
});
