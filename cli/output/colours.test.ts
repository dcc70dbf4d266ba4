import { afterEach, expect, test, vi } from 'vitest';
import { colourMode } from './terminal.ts';

afterEach(() => vi.unstubAllEnvs());

test.for([
  [{}, true, true, 'on'],
  [{}, false, true, 'off'],
  [{}, true, false, 'off'],
  [{ FORCE_COLOR: '1' }, false, true, 'on'],
  [{ FORCE_COLOR: '1' }, false, false, 'off'],
  [{ FORCE_COLOR: '0' }, true, true, 'off'],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, true, 'off'],
  [{ FORCE_COLOR: '', NO_COLOR: '' }, true, true, 'on'],
] as const)(
  'with the environment %o, terminal %s and --color %s, colours are %s',
  ([env, isTTY, color, expected]) => {
    vi.stubEnv('NO_COLOR', undefined);
    vi.stubEnv('FORCE_COLOR', undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(colourMode({ isTTY }, color)).toBe(expected);
  },
);
