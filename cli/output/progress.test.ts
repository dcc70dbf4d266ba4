import { expect, test } from 'vitest';
import { ProgressDisplay } from './progress.ts';

/** Returns the text that a terminal or a log receives for this many waits. */
function showWaits(isTTY: boolean, waits: number): string {
  let text = '';
  const stream = { isTTY, columns: 120, write: (part: string) => (text += part) };
  const display = new ProgressDisplay(stream as never, 'off'); // as: the display uses no more of a stream
  for (let n = 0; n < waits; n += 1)
    display.show({ kind: 'rate-limited', why: 'it answers 429 to createRun', most: 3 });
  return text;
}

const LINE = 'rate-limited: the target asked for 9 waits, at most 27 s in all; it answers 429 to createRun';

test('a log gets a line about rate limits only when the number of waits has doubled', () => {
  const lines = showWaits(false, 9).trimEnd().split('\n');
  expect(lines.map((line) => /(\d+) waits?/.exec(line)?.[1])).toEqual(['1', '2', '4', '8']);
});

test('a terminal gets one line about rate limits, which is updated in place', () => {
  const text = showWaits(true, 9);
  expect(text).not.toContain('\n');
  expect(text.split('\r\u001b[2K').at(-1)).toBe(LINE);
});
