import { PNG } from 'pngjs';
import { rowOf } from '../rows/rows.ts';
import { inResponse, setValue } from '../vocabulary/changes.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Edit, Json, Mutation } from '../vocabulary/types.ts';
import {
  allImageResponses,
  type ImageResponse,
  imageResponses,
  OPERATIONS,
  requestedCount,
  requestedSizeText,
} from './image-responses.ts';

const { stated, implied } = section('2 Image object');
const SPEC = '2 Images';

const ofValidCount = that<ImageResponse>(
  'whose request has a valid n, or none',
  ({ asked }) => requestedCount(asked) !== null,
);

export const imagesAnswerCount = rowOf('images.answer.count', {
  evidence: where(allImageResponses, ofValidCount),
  check: ({ asked, images }) =>
    images.length === requestedCount(asked)
      ? []
      : [violation('/data', `${requestedCount(asked)} images`, `${images.length} images`)],
});

const inBase64 = that<ImageResponse>('with b64_json', ({ images }) =>
  images.some((image) => image.base64 !== undefined),
);

export const imagesAnswerBase64IsAnImage = implied('images.answer.base64-is-an-image', {
  says: 'The base64 text of an image is an image.',
  selector: where(imageResponses(), inBase64),
  check: ({ images }) =>
    images
      .filter((image) => image.base64 !== undefined && problemOf(image.picture()) !== null)
      .map((image) => violation(`${image.at}/b64_json`, 'an image', problemOf(image.picture()))),
  mutations: {
    'no base64': inAll(setValue('/data/*/b64_json', 'no base64!')),
    empty: inAll(setValue('/data/*/b64_json', '')),
    'text in base64': inAll(setValue('/data/*/b64_json', Buffer.from('a red square').toString('base64'))),
    'half an image': inAll(
      setValue('/data/*/b64_json', (old) => (typeof old === 'string' ? old.slice(0, 400) : (old ?? null))),
    ),
    'a data URL': inAll(
      setValue('/data/*/b64_json', (old) =>
        typeof old === 'string' ? `data:image/png;base64,${old}` : (old ?? null),
      ),
    ),
  },
});

const inKnownFormat = that<ImageResponse>('in base64 and of a known format', ({ images }) =>
  images.some((image) => (image.picture()?.format ?? null) !== null),
);

export const imagesAnswerSizeAsAsked = stated('images.answer.size-as-asked', {
  spec: SPEC,
  says: 'An image has the requested size: 1024x1024 unless one is given.',
  selector: where(
    imageResponses(
      that('whose request has a valid size, or none', (asked) => requestedSizeText(asked) !== null),
    ),
    inKnownFormat,
  ),
  check: ({ asked, images }) =>
    images.flatMap((image) => {
      const picture = image.picture();
      if (picture === null || picture.format === null) return [];
      const actual = `${picture.width}x${picture.height}`;
      return actual === requestedSizeText(asked)
        ? []
        : [violation(`${image.at}/b64_json`, `${requestedSizeText(asked)} pixels`, actual)];
    }),
  mutations: {
    'a smaller one': inAll(setValue('/data/*/b64_json', blank(128, 128))),
    'an image that is not square': inAll(setValue('/data/*/b64_json', blank(1024, 512))),
    'a pixel less': inAll(setValue('/data/*/b64_json', blank(1023, 1024))),
  },
});

/** Edits the responses of all three image operations. */
function inAll(edit: Edit): Mutation {
  return (trace) => {
    const changed = OPERATIONS.reduce(
      (edited, operation) => inResponse(operation, edit)(edited) ?? edited,
      trace,
    );
    return changed === trace ? null : changed;
  };
}

function blank(width: number, height: number): (old: Json | undefined) => Json {
  let file: string | undefined;
  return (old) => {
    if (typeof old !== 'string') return old ?? null;
    // Rendered on first use: neither listing requirements nor judging needs it.
    file ??= PNG.sync.write(new PNG({ width, height })).toString('base64');
    return file;
  };
}

/** The reason why a value is not a valid image; null where it is one. */
function problemOf(picture: { readonly format: string | null; readonly damage: string | null } | null) {
  return picture === null ? 'base64 that cannot be decoded' : picture.damage;
}
