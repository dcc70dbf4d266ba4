import { afterEach, expect, test } from 'vitest';
import { serveUntilStopped } from './serving.ts';

const { isTTY } = process.stdin;
afterEach(() => {
  process.stdin.isTTY = isTTY;
});

test.each([
  ['a terminal', 'SIGTERM alone', 143],
  ['no terminal', 'SIGINT first', 130],
] as const)('a command with %s gets %s from assay', async (stdin, _, code) => {
  process.stdin.isTTY = stdin === 'a terminal';
  const command = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
  const ended = serveUntilStopped({ url: 'http://127.0.0.1:1' }, command, () => {});
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.listeners(signal).at(-1)?.(signal);
  expect(await ended).toBe(code);
});
