// The same arguments give the same bytes.
import { crc32 } from 'node:zlib';
import { PNG } from 'pngjs';
import { createToneWave } from '../../drive/scenario/tone-wave.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { Json } from '../vocabulary/types.ts';
import type { FileValue } from './requests.ts';

/** A picture to encode; `width` and `height` are in pixels. */
export interface PictureFile {
  readonly width: number;
  readonly height: number;
  /** Makes the left half fully transparent. */
  readonly transparent?: boolean;
  /** Exact size of the file in bytes, padded by a chunk that decoders skip. */
  readonly bytes?: number;
}

/** Encoded pictures by size and transparency, because many requests use the same ones. */
const encodedPictures = new Map<string, Buffer>();

export function pngFile(
  filename: string,
  { width, height, transparent = false, bytes }: PictureFile,
): FileValue {
  const key = `${width}x${height} ${transparent}`;
  const file = getOrMake(encodedPictures, key, () => encodeGradient(width, height, transparent));
  return { file: bytes === undefined ? file : padPng(file, bytes), filename, type: 'image/png' };
}

/** Encodes a gradient, because a plain area shrinks to almost nothing. */
function encodeGradient(width: number, height: number, transparent: boolean): Buffer {
  const image = new PNG({ width, height });
  for (let i = 0; i < width * height; i++) {
    const x = i % width;
    const alpha = transparent && x < width / 2 ? 0 : 255;
    image.data.set([(x * 255) / width, (Math.floor(i / width) * 255) / height, 128, alpha], i * 4);
  }
  return PNG.sync.write(image);
}

/** Bytes of a PNG chunk besides its data: length, name and checksum. */
const CHUNK_OVERHEAD = 12;

function padPng(file: Buffer, bytes: number): Buffer {
  const padding = bytes - file.length - CHUNK_OVERHEAD;
  if (padding < 0)
    throw new RangeError(`The picture cannot have ${bytes} bytes: request at least ${bytes - padding}.`);
  // The padding goes before the last chunk, which is empty.
  const end = file.length - CHUNK_OVERHEAD;
  return Buffer.concat([file.subarray(0, end), pngChunk('asSy', Buffer.alloc(padding)), file.subarray(end)]);
}

function pngChunk(name: string, data: Buffer): Buffer {
  const nameAndData = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const chunk = Buffer.alloc(nameAndData.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  nameAndData.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(nameAndData), nameAndData.length + 4);
  return chunk;
}

export function bmpFile(filename: string, width: number, height: number): FileValue {
  const infoHeaderSize = 40;
  const pixelsAt = 14 + infoHeaderSize;
  const pixelBytes = Math.ceil((width * 3) / 4) * 4 * height; // rows are padded to a multiple of 4 bytes
  const file = Buffer.alloc(pixelsAt + pixelBytes);
  file.write('BM', 0, 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(pixelsAt, 10);
  file.writeUInt32LE(infoHeaderSize, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26); // number of colour planes
  file.writeUInt16LE(24, 28); // bits per pixel
  file.writeUInt32LE(pixelBytes, 34);
  return { file, filename, type: 'image/bmp' };
}

export function wavFile(filename: string, seconds: number): FileValue {
  return { file: createToneWave(seconds), filename, type: 'audio/wav' };
}

export function jsonLines(filename: string, lines: readonly Json[]): FileValue {
  const file = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { file, filename, type: 'application/jsonl' };
}

export function textFile(filename: string, content: string): FileValue {
  return { file: Buffer.from(content), filename, type: 'text/plain' };
}

export function dataUrl({ file, type }: FileValue): string {
  return `data:${type};base64,${Buffer.from(file).toString('base64')}`;
}
