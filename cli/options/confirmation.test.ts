import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askToConfirm } from './confirmation.ts';

function createTerminal(typed: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  input.end(typed);
  return { input, output: Object.assign(new PassThrough(), { isTTY: true }) };
}

test.for([
  ['y\n', 'yes'],
  ['Yes\n', 'yes'],
  ['\n', 'no'],
  ['n\n', 'no'],
  ['yesterday\n', 'no'],
  ['', 'no'],
] as const)('%j means %s', async ([typed, answer]) => {
  expect(await askToConfirm('Delete?', createTerminal(typed))).toBe(answer);
});

test('input from a pipe does not confirm, whatever it says', async () => {
  expect(await askToConfirm('Delete?', createTerminal('y\n', false))).toBe('no-answer');
});
