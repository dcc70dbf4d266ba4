import { expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

test('on GitHub, show suspends workflow commands while it prints', async () => {
  const args = ['show', 'cassettes/assistant-session', 'e1'];
  const { stdout } = await runAssay(args, { env: { GITHUB_ACTIONS: 'true' } });
  const lines = stdout.trimEnd().split('\n');
  const word = /^::stop-commands::([\da-f-]{36})$/.exec(lines[0] ?? '')?.[1];
  expect(word).toBeDefined();
  expect(lines.at(-1)).toBe(`::${word}::`);
  expect((await runAssay(args, { env: { GITHUB_ACTIONS: '' } })).stdout).toBe(
    lines
      .slice(1, -1)
      .map((line) => `${line}\n`)
      .join(''),
  );
});
