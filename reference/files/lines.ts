import { createReadStream } from 'node:fs';

/** Longest line in bytes, so that one line cannot exhaust memory. */
const longestLine = 16 * 1024 * 1024;

/** A line exceeds `longestLine`; `line` is its number, from 1. */
export class LineTooLong extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`Line ${line} is longer than ${longestLine} bytes.`);
    this.line = line;
  }
}

/**
 * The lines of a file that are not blank, with their numbers from 1, in bounded memory.
 * @throws LineTooLong
 */
export async function* readLines(path: string): AsyncGenerator<{ number: number; text: string }> {
  let rest = Buffer.alloc(0);
  let number = 0;
  const line = (bytes: Buffer) => ({ number, text: bytes.toString('utf8').trim() });
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    rest = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
      number += 1;
      const found = line(rest.subarray(from, end));
      if (found.text !== '') yield found;
      from = end + 1;
    }
    // The end of the chunk may be the beginning of a line.
    rest = rest.subarray(from);
    if (rest.length > longestLine) throw new LineTooLong(number + 1);
  }
  number += 1;
  const last = line(rest);
  if (last.text !== '') yield last;
}
