import { extname } from 'node:path';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError } from '../server/api-error.ts';
import type { Upload } from '../server/upload.ts';
import { audioSeconds } from './duration.ts';

/**
 * The duration of an uploaded recording in seconds, rounded to milliseconds.
 * @throws ApiError 400 for a file name extension that `formats` does not list, and for bytes that are not a complete recording.
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
    throw ApiError.invalid('file', `'file' cannot be read as audio: ${messageOf(error)}`);
  }
}
