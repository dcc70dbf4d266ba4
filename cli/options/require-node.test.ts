import { expect, test } from 'vitest';
import { requireNode } from './require-node.ts';

test('a command that needs Node rejects Bun and Deno by name', () => {
  const others = ['bun', 'deno'].map((name) => ({ ...process.versions, [name]: '1.0.0' }));
  for (const versions of others)
    expect(() => requireNode('run', versions)).toThrow(
      /^assay run needs Node 20\.19 or later and does not work on (bun|deno)/,
    );
  expect(() => requireNode('run')).not.toThrow();
});
