import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { calls } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put } from '../../judge/edit/values.ts';
import { get, isObject, list, text } from '../../judge/json.ts';
import { type Benign, ofEach } from '../../judge/proof/benign/benign.ts';
import { OPERATIONS } from './drawn.ts';

/** Ways to answer with the same images that nothing is stated about. */
export const benign: readonly Benign[] = [
  inImages('base64 of images with line breaks', (image) =>
    put('/b64_json', (old) => (typeof old === 'string' ? old.replaceAll(/.{76}/g, '$&\r\n') : (old ?? null)))(
      image,
    ),
  ),
  inImages('base64 of images without padding, in the other alphabet', (image) =>
    put('/b64_json', (old) =>
      typeof old === 'string' ? Buffer.from(old, 'base64').toString('base64url') : (old ?? null),
    )(image),
  ),
  inImages('null for the form of images that was not asked for', (image) => ({
    b64_json: null,
    url: null,
    ...(isObject(image) ? image : {}),
  })),
  inImages('both forms of images', (image) => {
    if (text(image, 'b64_json') === undefined) return image;
    return put('/url', 'https://example.com/1.png')(image);
  }),
  inImages('revised prompts of images', (image) => put('/revised_prompt', 'A red square, again.')(image)),
  inImages('JPEG images', (image) => {
    const size = sizeIn(text(image, 'b64_json'));
    return size ? put('/b64_json', jpeg(size.width, size.height))(image) : image;
  }),
  {
    ...inImages('images on another host', (image) =>
      put('/url', (old) =>
        typeof old === 'string' ? 'https://pictures.example.com/1.png?sig=a%2Fb' : (old ?? null),
      )(image),
    ),
    blinds: true,
  },
];

function inImages(name: string, change: (image: Json) => Json): Benign {
  return ofEach(name, (exchange: Exchange) => {
    if (!OPERATIONS.some((operation) => calls(exchange, operation))) return exchange;
    return withAnswer(exchange, (answer) =>
      get(answer, 'data') === undefined ? answer : put('/data', (data) => list(data).map(change))(answer),
    );
  });
}

/** The size of a PNG, from its header. */
function sizeIn(base64: string | undefined): { readonly width: number; readonly height: number } | null {
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (bytes.length < 24) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The headers of a JPEG of this size, which is all that tells its size. */
function jpeg(width: number, height: number): string {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const app = Buffer.from([0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), app, frame, Buffer.from([0xff, 0xd9])]).toString('base64');
}
