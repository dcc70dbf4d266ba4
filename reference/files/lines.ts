import { createReadStream } from 'node:fs';

/** Bounds the memory for one line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 0x0a;

export class LineTooLong extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`Line ${line} is longer than ${MAX_LINE_BYTES} bytes.`);
    this.line = line;
  }
}

/** Yields the non-blank lines of a file, trimmed, with their numbers from 1, in bounded memory. @throws LineTooLong */
export async function* readLines(path: string): AsyncGenerator<{ number: number; text: string }> {
  let unread = Buffer.alloc(0);
  let number = 0;
  const toLine = (bytes: Buffer) => ({ number, text: bytes.toString('utf8').trim() });
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    unread = Buffer.concat([unread, chunk]);
    let from = 0;
    for (let end = unread.indexOf(LINE_FEED); end >= 0; end = unread.indexOf(LINE_FEED, from)) {
      number += 1;
      const line = toLine(unread.subarray(from, end));
      if (line.text !== '') yield line;
      from = end + 1;
    }
    // The end of the chunk may be an incomplete line.
    unread = unread.subarray(from);
    if (unread.length > MAX_LINE_BYTES) throw new LineTooLong(number + 1);
  }
  number += 1;
  const last = toLine(unread);
  if (last.text !== '') yield last;
}

export function isJsonLinesName(filename: string): boolean {
  return filename.toLowerCase().endsWith('.jsonl');
}
