import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { ofRequest, stateless, that, where } from '../vocabulary/selectors.ts';
import type { Call, Condition, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { fromBase64, type PictureInfo, readPictureInfo } from './picture.ts';

export const OPERATIONS = ['createImage', 'createImageEdit', 'createImageVariation'] as const;

/** The request body, valid for either model. */
const SIZES = ['256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'];

/** One image of a response. */
export interface ResponseImage {
  /** JSON pointer, such as `/data/0`. */
  readonly at: string;
  readonly element: Json;
  readonly url: string | undefined;
  readonly base64: string | undefined;
  /** The decoded base64 text, read on the first call; null without base64. */
  readonly picture: () => PictureInfo | null;
}

/** A response with images. */
export interface ImageResponse extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly images: readonly ResponseImage[];
}

/** Every JSON response to a request for images. */
export const allImageResponses: Selector<ImageResponse> = stateless<ImageResponse>(
  'drawn',
  OPERATIONS,
  { needs: 'an answer 2xx in JSON to a request for images' },
  (call) => {
    const { responseJson: answer, requestJson: asked } = call;
    if (answer === undefined) return [];
    return [{ exchanges: [call.exchange], call, asked, images: arrayAt(answer, 'data').map(imageOf) }];
  },
);

const withImages = that<ImageResponse>('with an image', ({ images }) => images.length > 0);

/** Responses to requests of one kind, with at least one image. */
export function imageResponses(asks?: Condition<Json | undefined>): Selector<ImageResponse> {
  const asked = asks === undefined ? allImageResponses : where(allImageResponses, ofRequest(asks));
  return where(asked, withImages);
}

/**
 * The requested number of images, 1 by default; a form has it as text. Null where the value should have been
 * rejected.
 */
export function requestedCount(asked: Json | undefined): number | null {
  const count = String(valueAtPath(asked, 'n') ?? 1);
  return /^([1-9]|10)$/.test(count) ? Number(count) : null;
}

/** The requested size, such as `256x256`; null where the value should have been rejected. */
export function requestedSizeText(asked: Json | undefined): string | null {
  const size = valueAtPath(asked, 'size') ?? '1024x1024';
  return typeof size === 'string' && SIZES.includes(size) ? size : null;
}

export function responseFormOf(asked: Json | undefined): string {
  return textAt(asked, 'response_format') ?? 'url';
}

function imageOf(element: Json, i: number): ResponseImage {
  const base64 = textAt(element, 'b64_json');
  let known: { readonly picture: PictureInfo | null } | undefined;
  return {
    at: `/data/${i}`,
    element,
    url: textAt(element, 'url'),
    base64,
    picture: () => {
      known ??= { picture: pictureIn(base64) };
      return known.picture;
    },
  };
}

function pictureIn(base64: string | undefined): PictureInfo | null {
  const bytes = base64 === undefined ? null : fromBase64(base64);
  return bytes === null ? null : readPictureInfo(bytes);
}
