import { computeOnce } from '../rows/on-first-use.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, that, where } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { fromBase64, type PictureInfo, readPictureInfo } from './picture.ts';

export const IMAGE_OPERATIONS = ['createImage', 'createImageEdit', 'createImageVariation'] as const;

/** The sizes that at least one model accepts. */
const IMAGE_SIZES = ['256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'];

export interface ResponseImage {
  /** JSON pointer, such as `/data/0`. */
  readonly at: string;
  readonly element: Json;
  readonly url: string | undefined;
  readonly base64: string | undefined;
  /** Why `base64` is not an image; null if it is one. Only for images with `base64`. */
  readonly problem: string | null;
  /** Width and height of a base64 image, `64x48`; undefined if unknown. */
  readonly pixels: string | undefined;
  readonly format: string | undefined;
}

export interface ImageResponse extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly images: readonly ResponseImage[];
  /** The requested number of images; undefined if the value is invalid for every model. */
  readonly count: () => number | undefined;
  readonly size: () => string | undefined;
  /** The first image in the form that was not requested, `url` or `b64_json`; undefined if it lacks this form. */
  readonly other_form: () => Json | undefined;
  readonly scheme: () => string | undefined;
}

export const allImageResponses: Selector<ImageResponse> = stateless<ImageResponse>(
  'image responses',
  IMAGE_OPERATIONS,
  { needs: 'a 2xx answer in JSON to a request for images' },
  (call) => {
    const { responseJson, requestJson: asked } = call;
    if (responseJson === undefined) return [];
    const images = arrayAt(responseJson, 'data').map(imageOf);
    const [first] = images;
    const otherForm = textAt(asked, 'response_format') === 'b64_json' ? 'url' : 'b64_json';
    return [
      {
        exchanges: [call.exchange],
        call,
        asked,
        images,
        count: () => requestedCount(call),
        size: () => requestedSize(asked),
        other_form: () => valueAtPath(first?.element, otherForm),
        scheme: () =>
          URL.canParse(first?.url ?? '') ? new URL(first?.url ?? '').protocol.slice(0, -1) : undefined,
      },
    ];
  },
);

export const imageResponses: Selector<ImageResponse> = where(
  allImageResponses,
  that('with an image', ({ images }) => images.length > 0),
);

/** The requested number of images, one by default. A form states it as text. */
function requestedCount({ requestJson, variant }: Call): number | undefined {
  const count = valueAtPath(requestJson, 'n') ?? null;
  if (count === null) return 1;
  const type = variant?.body?.carrier === 'multipart' ? 'string' : 'number';
  return typeof count === type && /^([1-9]|10)$/.test(String(count)) ? Number(count) : undefined;
}

/** The requested size, `1024x1024` by default; undefined if no model accepts it. */
export function requestedSize(asked: Json | undefined): string | undefined {
  const size = valueAtPath(asked, 'size') ?? '1024x1024';
  return typeof size === 'string' && IMAGE_SIZES.includes(size) ? size : undefined;
}

function imageOf(element: Json, i: number): ResponseImage {
  const base64 = textAt(element, 'b64_json');
  // Decoding is slow, and many requirements do not need it.
  const picture = computeOnce(() => pictureIn(base64));
  return {
    at: `/data/${i}`,
    element,
    url: textAt(element, 'url'),
    base64,
    get problem() {
      const info = picture();
      return info === null ? 'base64 that cannot be decoded' : info.damage;
    },
    get pixels() {
      return picture()?.pixels;
    },
    get format() {
      return picture()?.format ?? undefined;
    },
  };
}

function pictureIn(base64: string | undefined): PictureInfo | null {
  const bytes = base64 === undefined ? null : fromBase64(base64);
  return bytes === null ? null : readPictureInfo(bytes);
}
