import { extname } from 'node:path';
import { Refusal } from '../refusal.ts';
import type { Upload } from '../upload.ts';
import { hasFrames } from './flac-frames.ts';
import { AudioReader } from './reader.ts';

/** One for all services of a process: it knows nothing of any. */
const reader = new AudioReader();

/** How long an uploaded recording is, in seconds, to the millisecond. */
export async function durationOf(upload: Upload, formats: readonly unknown[]): Promise<number> {
  const extension = extname(upload.filename).slice(1).toLowerCase();
  if (!formats.includes(extension)) {
    const found = extension === '' ? 'has none' : `is '${extension}'`;
    throw Refusal.invalid(
      'file',
      `The ending of the file name must be one of ${formats.join(', ')}, but ${found}.`,
    );
  }
  if (!(await hasFrames(upload.content.file())))
    throw Refusal.invalid('file', "'file' cannot be read as audio: it breaks off before its first frame");
  try {
    return Math.round((await reader.duration(upload.content.file())) * 1000) / 1000;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unreadable';
    throw Refusal.invalid('file', `'file' cannot be read as audio: ${why}`);
  }
}
