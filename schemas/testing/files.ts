// For tests: makes the files that the examples describe, and checks the rules of `x-file`. Only PNG files are real.
import { crc32 } from 'node:zlib';
import { PNG } from 'pngjs';
import { schema } from '../index.ts';
import type { FileSketch } from './examples.ts';

export interface TestFile {
  readonly format: string;
  readonly size: number;
  /** Returns the content. Each call allocates it again unless it is PNG, because some files are large. */
  readonly bytes: () => Buffer;
}

interface Rules {
  readonly formats?: readonly string[];
  readonly maxBytes?: number;
  readonly square?: boolean;
  readonly transparentUnless?: string;
  readonly sameSizeAs?: string;
}

/** Makes the file of a sketch. A PNG file of a given size is padded with a chunk that readers skip. */
export function makeFile({
  format,
  width = 1,
  height = 1,
  transparent = false,
  bytes,
}: FileSketch): TestFile {
  if (format !== 'png') return { format, size: bytes ?? 1, bytes: () => Buffer.alloc(bytes ?? 1) };
  const png = new PNG({ width, height });
  png.data.fill(255);
  if (transparent) png.data[3] = 0;
  const plain = PNG.sync.write(png);
  const content = bytes === undefined ? plain : padPng(plain, bytes);
  return { format, size: content.length, bytes: () => content };
}

/**
 * The rules that a request's files break, as `rule at /part`. No other rule is checked for a file of a wrong format or
 * size.
 */
export function brokenRules(name: string, files: Readonly<Record<string, TestFile>>): readonly string[] {
  const properties = Object(schema(name)['properties']);
  return Object.entries(files).flatMap(([part, file]) =>
    brokenFileRules(Object(properties[part])['x-file'], file, files).map((rule) => `${rule} at /${part}`),
  );
}

function brokenFileRules(
  rules: Rules,
  file: TestFile,
  files: Readonly<Record<string, TestFile>>,
): readonly string[] {
  const { formats, maxBytes, square, transparentUnless, sameSizeAs } = rules;
  if (formats && !formats.includes(file.format)) return ['formats'];
  if (maxBytes !== undefined && file.size >= maxBytes) return ['maxBytes'];
  if (!formats?.includes('png')) return [];
  const image = PNG.sync.read(file.bytes());
  const otherFile = sameSizeAs === undefined ? undefined : files[sameSizeAs];
  const other = otherFile && PNG.sync.read(otherFile.bytes());
  return [
    ...(square && image.width !== image.height ? ['square'] : []),
    ...(transparentUnless && !files[transparentUnless] && isOpaque(image) ? ['transparentUnless'] : []),
    ...(other && (other.width !== image.width || other.height !== image.height) ? ['sameSizeAs'] : []),
  ];
}

function isOpaque({ data }: PNG): boolean {
  return data.every((value, index) => index % 4 !== 3 || value === 255);
}

function padPng(png: Buffer, size: number): Buffer {
  // Every chunk has length, name and checksum; the last chunk has no content.
  const frame = 12;
  const content = Buffer.alloc(size - png.length - frame);
  const chunk = Buffer.concat([Buffer.from('paDd'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(chunk));
  return Buffer.concat([png.subarray(0, -frame), length, chunk, checksum, png.subarray(-frame)]);
}
