import { PNG } from 'pngjs';
import { messageOf } from '../../schemas/error-message.ts';
import { ApiError } from '../server/api-error.ts';
import type { JsonObject } from '../server/json.ts';
import type { Upload } from '../server/upload.ts';

/** A decoded picture: four bytes for each pixel. */
export interface DecodedPicture {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

/** The first eight bytes of every PNG file. */
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Largest width and height in pixels, checked before decoding, because a small file may decode to a huge picture. */
const widest = 4096;

/**
 * Decodes an uploaded picture that keeps the `x-file` rules of its schema: `maxBytes` (exclusive), `formats`, `square`.
 * @throws ApiError 400 naming the field and the rule.
 */
export async function decodePicture(upload: Upload, rules: JsonObject): Promise<DecodedPicture> {
  const { field } = upload;
  const limit = rules['maxBytes'];
  if (typeof limit === 'number' && upload.content.size >= limit) {
    throw ApiError.invalid(
      field,
      `'${field}' must be smaller than ${limit} bytes, but has ${upload.content.size}.`,
    );
  }
  const bytes = await upload.content.bytes();
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(signature)) {
    throw ApiError.invalid(field, `'${field}' must be a PNG image; '${upload.filename}' is not.`);
  }
  // IHDR is the first chunk of a PNG file, so its width and height have fixed offsets.
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  if (rules['square'] === true && width !== height) {
    throw ApiError.invalid(field, `'${field}' must be square, but is ${width} by ${height} pixels.`);
  }
  if (width > widest || height > widest) {
    throw ApiError.invalid(field, `'${field}' must be at most ${widest} pixels wide and high.`);
  }
  return decode(bytes, field);
}

/** @throws ApiError 400 for a damaged image. */
function decode(bytes: Buffer, field: string): DecodedPicture {
  try {
    const { width, height, data } = PNG.sync.read(bytes);
    return { width, height, rgba: data };
  } catch (error) {
    throw ApiError.invalid(field, `'${field}' is a damaged PNG image: ${messageOf(error)}.`);
  }
}

/** True when at least one pixel is not opaque. */
export function hasTransparency({ rgba }: DecodedPicture): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return true;
  return false;
}
