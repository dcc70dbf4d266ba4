import { expect, test } from 'vitest';
import { loadDialect } from './dialects.ts';

test.each(['openai', 'compatible'])(
  'the dialect %s names only requirements and causes that exist',
  async (name) => {
    expect((await loadDialect(name))?.name).toBe(name);
  },
);
