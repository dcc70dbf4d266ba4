// Decodes the files of a folder in every known way, to find a secret in any encoding.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { deltasOf } from '../cassette/recovered-secrets.ts';
import { isGzip } from '../redaction/packed-file.ts';
import { decodings } from './encodings.ts';

/** The texts in the files of a folder, in lower case: lines, the bodies in them, and blobs, each also decoded. */
export function decodeFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  const bodies = files.flatMap((bytes) => [bytes, ...bodiesInLines(bytes.toString())]);
  const contents = bodies.flatMap((bytes) => {
    const content = isGzip(bytes) ? [gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })] : [];
    return [bytes, ...content].flatMap((plain) => [plain, ...deltasOf(plain)]);
  });
  return contents.flatMap((bytes) => decodings(bytes)).map((text) => text.toLowerCase());
}

/** The bodies in the lines of a journal or cassette, and all of them joined, which reassembles a stream stored in pieces. */
function bodiesInLines(text: string): Buffer[] {
  const lines = text.split('\n').flatMap((line) => {
    const value = parseLine(line);
    return value === null ? [] : [value];
  });
  const bodies = lines.flatMap((line): Buffer[] => {
    if (typeof line['base64'] === 'string') return [Buffer.from(line['base64'], 'base64')];
    return typeof line['text'] === 'string' ? [Buffer.from(line['text'])] : [];
  });
  return [...bodies, Buffer.concat(bodies)];
}

/** Returns null for a line that is torn or not of the format. */
function parseLine(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return /^\{"(?:i|e)":/.test(line) ? JSON.parse(line) : null;
  } catch {
    return null;
  }
}
