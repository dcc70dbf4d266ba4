import { afterEach, expect, test, vi } from 'vitest';
import { coloursFor } from '../../reports/words/colours.ts';
import { ProgressDisplay, progressBar, progressLine, type RunProgress } from './progress.ts';

afterEach(() => vi.unstubAllEnvs());

function showWaits(isTTY: boolean, waits: number, columns = 120): string {
  let text = '';
  const stream = { isTTY, columns, write: (part: string) => (text += part) };
  const display = new ProgressDisplay(stream as never, 'off'); // as: the display uses no more of a stream
  for (let n = 0; n < waits; n += 1)
    display.show({ kind: 'rate-limited', why: 'it answers 429 to createRun', most: 3 });
  return text;
}

const LINE = 'rate-limited: the target asked for 9 waits, at most 27 s in all; it answers 429 to createRun';

test('a log gets a line about rate limits when the number of waits is a power of two', () => {
  const lines = showWaits(false, 9).trimEnd().split('\n');
  expect(lines.map((line) => /(\d+) waits?/.exec(line)?.[1])).toEqual(['1', '2', '4', '8']);
});

test('a terminal gets one line about rate limits, which is updated in place', () => {
  const text = showWaits(true, 9);
  expect(text).not.toContain('\n');
  expect(text.split('\r\u001b[2K').at(-1)).toBe(LINE);
});

test('a terminal of unknown size gets a line about rate limits that fits 80 columns', () => {
  vi.stubEnv('COLUMNS', '');
  const line = showWaits(true, 9, 0).split('\r\u001b[2K').at(-1);
  expect(line).toBe(`${LINE.slice(0, 78)}…`);
});

const off = coloursFor('off');

function progressAt(done: number, total = 40): RunProgress {
  return { done, total, requests: 310, latest: 'chat.stream' };
}

test('the bar fills as the run proceeds', () => {
  expect(progressBar(progressAt(0), 80, off)).toBe(
    '[------------------------] 0/40 scenarios, 310 requests  chat.stream',
  );
  expect(progressBar(progressAt(20), 80, off)).toContain('[============------------] 20/40');
  expect(progressBar(progressAt(40), 80, off)).toContain('[========================] 40/40');
  expect(progressBar(progressAt(0, 0), 80, off)).toContain('0/0');
});

test('the bar is shorter than the line of a terminal of at least 11 columns', () => {
  for (let columns = 11; columns < 120; columns += 1)
    expect(progressBar(progressAt(20), columns, off).length).toBeLessThan(columns);
});

test.each([1, 10, 30])('a terminal of %i columns gets only the count', (columns) => {
  expect(progressBar(progressAt(20), columns, off)).toBe('20/40');
});

test('a log gets a line for the first scenario and for each tenth', () => {
  const lines = Array.from({ length: 40 }, (_, n) =>
    progressLine(n === 0 ? null : progressAt(n), progressAt(n + 1)),
  );
  expect(lines.filter((line) => line !== null)).toHaveLength(11);
  expect(lines.at(-1)).toBe('40 of 40 scenarios, 310 requests');
});

test('the name of a scenario cannot control the terminal', () => {
  const forged = { ...progressAt(20), latest: '\u001b[2J\nforged' };
  expect(progressBar(forged, 120, off)).toContain('\\u001b[2J\\nforged');
});
