import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LineTooLong, readLines } from './lines.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-lines-'));
});
afterAll(() => rm(directory, { recursive: true }));

const linesOf = async (content: string | Uint8Array) => {
  const path = join(directory, 'file');
  await writeFile(path, content);
  const lines: { number: number; text: string }[] = [];
  for await (const line of readLines(path)) lines.push(line);
  return lines;
};

it('readLines splits at line feeds, trims the lines, and omits blank ones', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', '𝄞', ' ', '\r'), maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.boolean(), async (lines, hasFinalFeed) => {
      const expected = lines
        .map((text, n) => ({ number: n + 1, text: text.trim() }))
        .filter(({ text }) => text !== '');
      expect(await linesOf(lines.join('\n') + (hasFinalFeed ? '\n' : ''))).toEqual(expected);
    }),
  );
});

it('readLines joins lines and characters that arrive in pieces', async () => {
  const long = `x${'ü'.repeat(2 * 1024 * 1024)}`;
  const texts = (await linesOf(`${long}\nshort\n${long}`)).map(({ text }) => text);
  // The comparison of long texts is left to `===`, because a printed difference would be as long.
  expect(texts.map((text) => (text === long ? 'long' : text.slice(0, 10)))).toEqual([
    'long',
    'short',
    'long',
  ]);
});

it('readLines rejects a line of 18 MiB', async () => {
  await expect(linesOf(Buffer.alloc(18 * 1024 * 1024, 'x'))).rejects.toEqual(new LineTooLong(1));
});
