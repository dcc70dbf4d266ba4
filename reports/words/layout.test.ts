import { expect, test } from 'vitest';
import { wrapCommand, wrapText } from './layout.ts';

test('text is broken at spaces', () => {
  expect(wrapText('one two three', 8, 2)).toEqual(['one two', '  three']);
});

test('a word that is longer than a line gets its own line', () => {
  expect(wrapText('  a unbreakable-word b', 8)).toEqual(['  a', '  unbreakable-word', '  b']);
});

test('text without a maximum width is not broken', () => {
  expect(wrapText('one two three', null)).toEqual(['one two three']);
});

test('a command is broken between words as a shell sees them, and an option stays with its value', () => {
  const command = "curl -sS -H 'a: b c' --data-raw 'It'\\''s one' $'x\\'y z' http://host/";
  const lines = wrapCommand(command, 30);
  expect(lines).toEqual([
    "curl -sS -H 'a: b c' \\",
    "  --data-raw 'It'\\''s one' \\",
    "  $'x\\'y z' http://host/",
  ]);
  const joined = lines.map((line) => line.replace(/ \\$/, '').trim()).join(' ');
  expect(joined).toBe(command);
});
