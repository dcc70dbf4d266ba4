import { extname } from 'node:path';
import { ApiError, errorMessage } from '../server/api-error.ts';
import type { Upload } from '../server/upload.ts';
import { audioSeconds } from './duration.ts';

/**
 * How long an uploaded recording is, in seconds, to the millisecond.
 * @throws ApiError 400 for another ending than `formats` lists, and for bytes that are not a whole recording.
 */
export async function recordingDuration(upload: Upload, formats: readonly unknown[]): Promise<number> {
  const extension = extname(upload.filename).slice(1).toLowerCase();
  if (!formats.includes(extension)) {
    const found = extension === '' ? 'has none' : `is '${extension}'`;
    throw ApiError.invalid(
      'file',
      `The ending of the file name must be one of ${formats.join(', ')}, but ${found}.`,
    );
  }
  try {
    return Math.round(audioSeconds(await upload.content.bytes()) * 1000) / 1000;
  } catch (error) {
    throw ApiError.invalid('file', `'file' cannot be read as audio: ${errorMessage(error)}`);
  }
}
