import { PNG } from 'pngjs';
import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { type Edit, put, remove } from '../../judge/edit/values.ts';
import { list } from '../../judge/json.ts';
import type { Break } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { allDrawn, countOf, drawn, formOf, OPERATIONS, sizeOf } from './drawn.ts';

const SPEC = '2 Images';
const OBJECT = '2 Image object';

const asBase64 = drawn((asked) => formOf(asked) === 'b64_json');
const asUrl = drawn((asked) => formOf(asked) === 'url');

export const count = requirement({
  id: 'images.answer.count',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'As many images are answered as are asked for, one unless n is given.',
  on: only(allDrawn(), ({ asked }) => countOf(asked) !== null),
  check: ({ asked, images }) =>
    images.length === countOf(asked)
      ? []
      : [{ at: '/data', expected: `${countOf(asked)} images`, actual: `${images.length} images` }],
  breaks: {
    'one too few': inAll(remove('/data/0')),
    'one too many': inAll(put('/data', (data) => [...list(data), ...list(data).slice(0, 1)])),
    none: inAll(put('/data', [])),
  },
});

export const url = requirement({
  id: 'images.answer.url-when-asked',
  level: 'MUST',
  basis: 'stated',
  spec: OBJECT,
  says: 'An image is answered as a URL if that is asked for, and by default.',
  on: asUrl,
  check: ({ images }) =>
    images
      .filter((image) => image.url === undefined)
      .map(({ at }) => ({ at: `${at}/url`, expected: 'a URL', actual: undefined })),
  breaks: { 'left out': inAll(remove('/data/*/url')), 'null instead': inAll(put('/data/*/url', null)) },
});

export const absolute = requirement({
  id: 'images.answer.url-is-absolute',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'The URL of an image is absolute.',
  on: only(drawn(), ({ images }) => images.some((image) => image.url !== undefined)),
  check: ({ images }) =>
    images
      .filter((image) => image.url !== undefined && !URL.canParse(image.url))
      .map((image) => ({ at: `${image.at}/url`, expected: 'an absolute URL', actual: image.url })),
  breaks: {
    'a path': inAll(put('/data/*/url', '/images/1.png')),
    'no scheme': inAll(put('/data/*/url', 'example.com/images/1.png')),
    empty: inAll(put('/data/*/url', '')),
  },
});

export const base64 = requirement({
  id: 'images.answer.base64-when-asked',
  level: 'MUST',
  basis: 'stated',
  spec: OBJECT,
  says: 'An image is answered as base64 text if b64_json is asked for.',
  on: asBase64,
  check: ({ images }) =>
    images
      .filter((image) => image.base64 === undefined)
      .map(({ at }) => ({ at: `${at}/b64_json`, expected: 'base64 text', actual: undefined })),
  breaks: {
    'left out': inAll(remove('/data/*/b64_json')),
    'a URL instead': inAll((answer) =>
      put('/data/*/url', 'https://example.com/1.png')(remove('/data/*/b64_json')(answer)),
    ),
  },
});

export const readable = requirement({
  id: 'images.answer.base64-is-an-image',
  level: 'MUST',
  basis: 'implied',
  spec: OBJECT,
  says: 'The base64 text of an image is an image.',
  on: only(drawn(), ({ images }) => images.some((image) => image.base64 !== undefined)),
  check: ({ images }) =>
    images
      .filter((image) => image.base64 !== undefined && problemOf(image.picture()) !== null)
      .map((image) => ({
        at: `${image.at}/b64_json`,
        expected: 'an image',
        actual: problemOf(image.picture()),
      })),
  breaks: {
    'no base64': inAll(put('/data/*/b64_json', 'no base64!')),
    empty: inAll(put('/data/*/b64_json', '')),
    'text in base64': inAll(put('/data/*/b64_json', Buffer.from('a red square').toString('base64'))),
    'half an image': inAll(
      put('/data/*/b64_json', (old) => (typeof old === 'string' ? old.slice(0, 400) : (old ?? null))),
    ),
    'a data URL': inAll(
      put('/data/*/b64_json', (old) =>
        typeof old === 'string' ? `data:image/png;base64,${old}` : (old ?? null),
      ),
    ),
  },
});

export const size = requirement({
  id: 'images.answer.size-as-asked',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'An image has the size that is asked for, 1024x1024 unless one is given.',
  on: only(
    drawn((asked) => sizeOf(asked) !== null),
    ({ images }) => images.some((image) => (image.picture()?.format ?? null) !== null),
  ),
  check: ({ asked, images }) =>
    images.flatMap((image) => {
      const picture = image.picture();
      if (picture === null || picture.format === null) return [];
      const actual = `${picture.width}x${picture.height}`;
      return actual === sizeOf(asked)
        ? []
        : [{ at: `${image.at}/b64_json`, expected: `${sizeOf(asked)} pixels`, actual }];
    }),
  breaks: {
    'a smaller one': inAll(put('/data/*/b64_json', blank(128, 128))),
    'none that is square': inAll(put('/data/*/b64_json', blank(1024, 512))),
    'a pixel less': inAll(put('/data/*/b64_json', blank(1023, 1024))),
  },
});

/** In the answers of all three operations. */
function inAll(edit: Edit): Break {
  return (trace) => {
    const changed = OPERATIONS.reduce(
      (edited, operation) => inAnswer(operation, edit)(edited) ?? edited,
      trace,
    );
    return changed === trace ? null : changed;
  };
}

function blank(width: number, height: number): (old: Json | undefined) => Json {
  let file: string | undefined;
  return (old) => {
    if (typeof old !== 'string') return old ?? null;
    // Painted when first needed: listing and judging need none.
    file ??= PNG.sync.write(new PNG({ width, height })).toString('base64');
    return file;
  };
}

/** Why something is no image that can be shown; null where it is one. */
function problemOf(picture: { readonly format: string | null; readonly damage: string | null } | null) {
  return picture === null ? 'no base64' : picture.damage;
}
