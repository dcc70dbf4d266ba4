import { setValue } from '../vocabulary/changes.ts';
import { inAnswersOf } from '../vocabulary/equivalents.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import type { EquivalentMutant, Json } from '../vocabulary/types.ts';
import { IMAGE_OPERATIONS } from './image-responses.ts';
import { readPictureInfo } from './picture.ts';

export const equivalentMutants: readonly EquivalentMutant[] = [
  inImages(
    'base64 of images without padding, in the other alphabet',
    setValue('/b64_json', (old) =>
      typeof old === 'string' ? Buffer.from(old, 'base64').toString('base64url') : (old ?? null),
    ),
  ),
  inImages('JPEG images', (image) => {
    const { width, height } = readPictureInfo(Buffer.from(textAt(image, 'b64_json') ?? '', 'base64'));
    return width > 0 ? setValue('/b64_json', jpegOfSize(width, height))(image) : image;
  }),
];

function inImages(name: string, change: (image: Json) => Json): EquivalentMutant {
  return inAnswersOf(IMAGE_OPERATIONS, name, (answer) =>
    valueAtPath(answer, 'data') === undefined
      ? answer
      : setValue('/data', (data) => arrayAt(data).map(change))(answer),
  );
}

/** The headers of a JPEG in base64, without image data: enough to read its size. */
function jpegOfSize(width: number, height: number): string {
  // Start of frame: 8 bits per sample, size, one component.
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  // The application segment of JFIF 1.1.
  const app = Buffer.from([0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), app, frame, Buffer.from([0xff, 0xd9])]).toString('base64');
}
