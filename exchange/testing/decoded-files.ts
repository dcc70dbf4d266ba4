import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { deltasOf } from '../cassette/recovered-secrets.ts';
import { isGzip } from '../redaction/packed-file.ts';
import { decodings } from './encodings.ts';

/** The files of a folder, with the bodies, unpacked content and deltas in them, in each decoding and in lower case. */
export function decodeFiles(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  const bodies = files.flatMap((bytes) => [bytes, ...bodiesInLines(bytes.toString())]);
  return bodies.flatMap(decodingsOfBody);
}

/** A body, with the unpacked content and deltas in it, in each decoding and in lower case. */
export function decodingsOfBody(bytes: Buffer): string[] {
  const content = isGzip(bytes) ? [gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })] : [];
  const plain = [bytes, ...content].flatMap((bytes) => [bytes, ...deltasOf(bytes)]);
  return plain.flatMap((bytes) => decodings(bytes)).map((text) => text.toLowerCase());
}

function bodiesInLines(text: string): Buffer[] {
  const lines = text.split('\n').flatMap((line) => {
    const value = parseLine(line);
    return value === null ? [] : [value];
  });
  const bodies = lines.flatMap((line): Buffer[] => {
    if (typeof line['base64'] === 'string') return [Buffer.from(line['base64'], 'base64')];
    return typeof line['text'] === 'string' ? [Buffer.from(line['text'])] : [];
  });
  // A secret may be split between lines.
  return [...bodies, Buffer.concat(bodies)];
}

function parseLine(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return /^\{"(?:i|e)":/.test(line) ? JSON.parse(line) : null;
  } catch {
    return null;
  }
}
