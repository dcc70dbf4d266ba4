// Images in forms: format, size, shape and transparency, read from the bytes. Files that were too large to keep are judged by
// size only.

import { PNG } from 'pngjs';
import type { FormDataPart } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { pngFile } from '../generate/sample-files.ts';
import { inFilePart, inRequest, removeValue, setValue } from '../vocabulary/changes.ts';
import { isObject, valueAtPath } from '../vocabulary/json.ts';
import { requests, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Call, Json, Violation } from '../vocabulary/types.ts';

const { stated } = section('2 Images');

const EDIT = ['createImageEdit'];
const BOTH = ['createImageEdit', 'createImageVariation'];
const LIMIT = 4 * 1024 * 1024;

function filesOf(call: Call): ReadonlyMap<string, FormDataPart> {
  const parts = formDataParts(call.exchange.request) ?? [];
  return new Map(
    parts.flatMap((part) =>
      part.name !== null && part.filename !== null ? [[part.name, part] as const] : [],
    ),
  );
}

function bytesOf(part: FormDataPart | undefined): Uint8Array | null {
  return part?.body.bytes ?? null;
}

const withImages = where(requests(BOTH), ({ call }) => filesOf(call).size > 0);

function ofEach(
  call: Call,
  check: (name: string, part: FormDataPart) => Violation | null,
): readonly Violation[] {
  return [...filesOf(call)].flatMap(([name, part]) => check(name, part) ?? []);
}

/** Decided by the leading bytes: SDKs take file names from their users. */
export const clientImagesPng = stated('client.images.png', {
  says: 'A client sends images to edit and to vary as PNG files.',
  selector: where(withImages, ({ call }) => [...filesOf(call).values()].every((part) => part.body.isKept)),
  check: ({ call }) =>
    ofEach(call, (name, part) => {
      const bytes = bytesOf(part);
      if (bytes === null || pngSizeOf(bytes) !== null) return null;
      return { at: `request file ${name}`, expected: 'a PNG file', actual: part.filename ?? undefined };
    }),
  mutations: {
    'a text': inFilePart(BOTH, 'image', () => Buffer.from('no image at all')),
    'a bitmap': inFilePart(BOTH, 'image', () => Buffer.from('BM and then some')),
  },
});

/** A megabyte is 1,048,576 bytes, the larger reading. */
export const clientImagesSmall = stated('client.images.small', {
  says: 'A client sends images to edit and to vary of less than 4 MB.',
  selector: withImages,
  check: ({ call }) =>
    ofEach(call, (name, { body: { size } }) =>
      size < LIMIT
        ? null
        : { at: `request file ${name}`, expected: `less than ${LIMIT} bytes`, actual: size },
    ),
  mutations: {
    'a byte too many': inFilePart(BOTH, 'image', (bytes) =>
      Buffer.concat([bytes, Buffer.alloc(Math.max(0, LIMIT - bytes.byteLength))]),
    ),
    'twice the size': inFilePart(BOTH, 'image', (bytes) => Buffer.concat([bytes, Buffer.alloc(2 * LIMIT)])),
  },
});

function transparentPng(width: number, height: number): Uint8Array {
  return pngFile('transparent.png', { width, height, transparent: true }).file;
}

const square = where(withImages, ({ call }) => pngSizeOf(bytesOf(filesOf(call).get('image'))) !== null);

export const clientImagesSquare = stated('client.images.square', {
  says: 'A client sends square images to edit and to vary.',
  selector: square,
  check: ({ call }) => {
    const size = pngSizeOf(bytesOf(filesOf(call).get('image')));
    if (size === null || size.width === size.height) return [];
    return [{ at: 'request file image', expected: 'a square', actual: `${size.width}x${size.height}` }];
  },
  mutations: {
    wide: inFilePart(BOTH, 'image', () => transparentPng(64, 48)),
    high: inFilePart(BOTH, 'image', () => transparentPng(48, 64)),
  },
});

const unmasked = where(
  requests(EDIT),
  ({ call }) => !filesOf(call).has('mask') && pngSizeOf(bytesOf(filesOf(call).get('image'))) !== null,
);

/** One pixel that is not fully opaque is enough. */
export const clientImagesTransparent = stated('client.images.transparent', {
  says: 'A client that sends no mask sends an image that is transparent somewhere.',
  selector: unmasked,
  check: ({ call }) => {
    const bytes = bytesOf(filesOf(call).get('image'));
    if (bytes === null || isTransparentSomewhere(bytes)) return [];
    return [{ at: 'request file image', expected: 'transparency, or a mask', actual: 'opaque' }];
  },
  mutations: {
    opaque: inFilePart(EDIT, 'image', () => pngFile('a.png', { width: 64, height: 64 }).file),
    'opaque and small': inFilePart(EDIT, 'image', () => pngFile('a.png', { width: 8, height: 8 }).file),
  },
});

const masked = where(requests(EDIT), ({ call }) => {
  const files = filesOf(call);
  return ['image', 'mask'].every((name) => pngSizeOf(bytesOf(files.get(name))) !== null);
});

export const clientImagesMaskSize = stated('client.images.mask-size', {
  says: 'A client sends a mask of the size of its image.',
  selector: masked,
  check: ({ call }) => {
    const [image, mask] = ['image', 'mask'].map((name) => pngSizeOf(bytesOf(filesOf(call).get(name))));
    if (image == null || mask == null) return [];
    if (image.width === mask.width && image.height === mask.height) return [];
    const [expected, actual] = [image, mask].map(({ width, height }) => `${width}x${height}`);
    return [violation('request file mask', expected ?? '', actual)];
  },
  mutations: {
    smaller: inFilePart(EDIT, 'mask', () => transparentPng(32, 32)),
    larger: inFilePart(EDIT, 'mask', () => transparentPng(99, 99)),
  },
});

// Image requests without a model: the specification names the default model and its limits.

const IMAGE = ['createImage'];
const LONGEST = 1000;
const SIZES: readonly Json[] = ['256x256', '512x512', '1024x1024'];
/**
 * Fields of the later model with their defaults. The specification does not say whether the earlier model accepts an explicit
 * default.
 */
const OF_LATER: Readonly<Record<string, string>> = { quality: 'standard', style: 'vivid' };

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function beyondDefault(asked: Json | undefined): Violation | null {
  const [prompt, size] = [valueAtPath(asked, 'prompt'), valueAtPath(asked, 'size')];
  const length = typeof prompt === 'string' ? [...prompt].length : 0;
  if (length > LONGEST)
    return {
      at: 'request /prompt',
      expected: `at most ${LONGEST} characters without a model`,
      actual: length,
    };
  if (isGiven(size) && !SIZES.includes(size ?? null))
    return { at: 'request /size', expected: `${SIZES.join(' or ')} without a model`, actual: size };
  for (const [name, usual] of Object.entries(OF_LATER)) {
    const value = valueAtPath(asked, name);
    if (isGiven(value) && value !== usual)
      return { at: `request /${name}`, expected: 'a model that takes it', actual: value };
  }
  return null;
}

/** Requests that name a model are skipped: the specification uses placeholders for model names. */
export const clientImagesDefaultModel = stated('client.images.default-model', {
  says: 'A client that asks for images without a model keeps the limits of the default model.',
  selector: where(requests(IMAGE), ({ asked }) => isObject(asked) && !isGiven(asked['model'])),
  check: ({ asked }) => {
    const found = beyondDefault(asked);
    return found === null ? [] : [found];
  },
  mutations: {
    'a long prompt': inRequest(IMAGE, removeValue('/model'), setValue('/prompt', 'a'.repeat(1001))),
    'a size of the later model': inRequest(IMAGE, removeValue('/model'), setValue('/size', '1792x1024')),
    'the quality of the later model': inRequest(IMAGE, removeValue('/model'), setValue('/quality', 'hd')),
    'the style of the later model': inRequest(IMAGE, removeValue('/model'), setValue('/style', 'natural')),
  },
});

// Reads the header and the pixels of a PNG file (RFC 2083).

/** The first eight bytes of every PNG file. */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Byte offsets: the header chunk comes first, and its length and name take eight bytes. */
const AT = { name: 12, width: 16, height: 20 } as const;
/** Bytes up to the end of the header chunk. */
const HEADER_END = 33;

/** Width and height in pixels; null for bytes that do not begin as a PNG file. */
export function pngSizeOf(
  bytes: Uint8Array | null,
): { readonly width: number; readonly height: number } | null {
  if (bytes === null || bytes.byteLength < HEADER_END) return null;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!view.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return null;
  if (view.toString('latin1', AT.name, AT.width) !== 'IHDR') return null;
  return { width: view.readUInt32BE(AT.width), height: view.readUInt32BE(AT.height) };
}

/** True if a pixel is not opaque, or if the file cannot be decoded, which proves nothing. */
export function isTransparentSomewhere(bytes: Uint8Array): boolean {
  try {
    const { data } = PNG.sync.read(Buffer.from(bytes));
    for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return true;
    return false;
  } catch {
    return true;
  }
}
