import { constants, crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError, shorten } from '../http/api-error.ts';
import type { Upload } from '../http/form.ts';
import type { JsonObject } from '../http/json.ts';
import { hashText } from '../state/ids.ts';

/** Side of a block of equal pixels, in pixels; blocks make large pictures fast to paint. */
const BLOCK = 8;
/** PNG filters, which predict a pixel from the one to its left or above it. */
const LEFT_FILTER = 1;
const ABOVE_FILTER = 2;
const BIT_DEPTH = 8;
/** The PNG colour type with three channels. */
const TRUE_COLOUR = 2;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export interface DecodedPicture extends PictureSize {
  readonly rgba: Uint8Array;
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Maximum width and height in pixels; checked before decoding, because a small file may decode to a huge picture. */
const MAX_SIDE = 4096;

/**
 * Decodes an upload. `rules`: the `x-file` of its schema, of which `maxBytes` (exclusive) and `square` apply.
 * @throws ApiError 400 unless it is a PNG that obeys the rules, of at most `MAX_SIDE` pixels per side.
 */
export async function decodePicture(upload: Upload, rules: JsonObject): Promise<DecodedPicture> {
  const { field, content } = upload;
  const limit = rules['maxBytes'];
  if (typeof limit === 'number' && content.size >= limit)
    throw ApiError.invalid(field, `'${field}' must be smaller than ${limit} bytes, but has ${content.size}.`);
  const bytes = await content.bytes();
  // The signature and IHDR, the first chunk of a PNG file, take 33 bytes, so width and height have fixed offsets.
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(SIGNATURE))
    throw ApiError.invalid(field, `'${field}' must be a PNG image; '${shorten(upload.filename)}' is not.`);
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  if (rules['square'] === true && width !== height)
    throw ApiError.invalid(field, `'${field}' must be square, but is ${width} by ${height} pixels.`);
  if (width > MAX_SIDE || height > MAX_SIDE)
    throw ApiError.invalid(field, `'${field}' must be at most ${MAX_SIDE} pixels wide and high.`);
  return decodePng(bytes, field);
}

function decodePng(bytes: Buffer, field: string): DecodedPicture {
  try {
    const { width, height, data } = PNG.sync.read(bytes);
    return { width, height, rgba: data };
  } catch (error) {
    throw ApiError.invalid(field, `'${field}' is a damaged PNG image: ${messageOf(error)}.`);
  }
}

export function hasTransparency({ rgba }: DecodedPicture): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return true;
  return false;
}

type Painter = (x: number, y: number) => readonly [red: number, green: number, blue: number];

export function createPainter(subject: string, { width, height }: PictureSize): Painter {
  const hash = hashText(subject);
  const [red, green, blue] = [hash & 255, (hash >>> 8) & 255, (hash >>> 16) & 255];
  const midX = width * (0.3 + ((hash >>> 4) % 40) / 100);
  const midY = height * (0.3 + ((hash >>> 12) % 40) / 100);
  const squaredRadius = (Math.min(width, height) / 5) ** 2;
  return (x, y) => {
    if ((x - midX) ** 2 + (y - midY) ** 2 < squaredRadius) return [255 - red, 255 - green, 255 - blue];
    const shade = 0.5 + (Math.floor((y * 8) / height) / 8) * 0.5;
    return [Math.floor(red * shade), Math.floor(green * shade), Math.floor(blue * shade)];
  };
}

/** Returns a painter of the picture scaled to a size; pixels where `mask` is fully transparent come from `filling`. */
export function createEditPainter(
  picture: DecodedPicture,
  mask: DecodedPicture,
  filling: Painter,
  size: PictureSize,
): Painter {
  return (x, y) => {
    const at = pixelOffset(picture, x, y, size);
    if (mask.rgba[pixelOffset(mask, x, y, size) + 3] === 0) return filling(x, y);
    return [picture.rgba[at] ?? 0, picture.rgba[at + 1] ?? 0, picture.rgba[at + 2] ?? 0];
  };
}

/** Returns a painter of the scaled picture with its colour channels rotated `turn` times and the first one inverted. */
export function createVariationPainter(picture: DecodedPicture, turn: number, size: PictureSize): Painter {
  return (x, y) => {
    const at = pixelOffset(picture, x, y, size);
    const colours = [0, 1, 2].map((n) => picture.rgba[at + ((n + turn) % 3)] ?? 0);
    return [255 - (colours[0] ?? 0), colours[1] ?? 0, colours[2] ?? 0];
  };
}

function pixelOffset({ width, height }: DecodedPicture, x: number, y: number, size: PictureSize): number {
  return 4 * (Math.floor((y * height) / size.height) * width + Math.floor((x * width) / size.width));
}

export function encodePng(painter: Painter, { width, height }: PictureSize): Buffer {
  // A line is one filter byte, then three bytes per pixel; a pixel that the filter predicts correctly is 0.
  const stride = 1 + width * 3;
  const lines = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const line = lines.subarray(y * stride, (y + 1) * stride);
    line[0] = y % BLOCK === 0 ? LEFT_FILTER : ABOVE_FILTER;
    if (y % BLOCK === 0) paintLine(line, painter, y, width);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([BIT_DEPTH, TRUE_COLOUR], 8);
  const data = deflateSync(lines, { level: 1, strategy: constants.Z_RLE });
  return Buffer.concat([
    SIGNATURE,
    encodeChunk('IHDR', head),
    encodeChunk('IDAT', data),
    encodeChunk('IEND', Buffer.alloc(0)),
  ]);
}

function paintLine(line: Buffer, painter: Painter, y: number, width: number): void {
  let [red, green, blue] = [0, 0, 0];
  for (let x = 0; x < width; x += BLOCK) {
    const colour = painter(x, y);
    line.set([colour[0] - red, colour[1] - green, colour[2] - blue], 1 + x * 3);
    [red, green, blue] = colour;
  }
}

function encodeChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(name, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
