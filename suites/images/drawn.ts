import type { Json } from '../../exchange/body.ts';
import type { Call } from '../../judge/call.ts';
import { get, list, text } from '../../judge/json.ts';
import type { Evidence, Selector } from '../../judge/requirement.ts';
import { only, stateless } from '../../judge/selectors/answers.ts';
import { fromBase64, type Picture, readPicture } from './picture.ts';

export const OPERATIONS = ['createImage', 'createImageEdit', 'createImageVariation'] as const;

/** Of either model. */
const SIZES = ['256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'];

/** One image of an answer. */
export interface DrawnImage {
  /** `/data/0`. */
  readonly at: string;
  readonly element: Json;
  readonly url: string | undefined;
  readonly base64: string | undefined;
  /** What its base64 holds, read when it is first asked for; null where there is none. */
  readonly picture: () => Picture | null;
}

/** An answer with images. */
export interface Drawn extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly images: readonly DrawnImage[];
}

/** Every answer to a request for images that is JSON. */
export function allDrawn(): Selector<Drawn> {
  return stateless<Drawn>('drawn', OPERATIONS, {}, (call) => {
    const { answer, asked } = call;
    if (answer === undefined) return [];
    return [{ exchanges: [call.exchange], call, asked, images: list(answer, 'data').map(imageOf) }];
  });
}

/** Answers to requests of one kind, with at least one image. */
export function drawn(asks: (asked: Json | undefined) => boolean = () => true): Selector<Drawn> {
  return only(allDrawn(), ({ asked, images }) => images.length > 0 && asks(asked));
}

/** How many images are asked for; of a form the number is text. Null where it should have been refused. */
export function countOf(asked: Json | undefined): number | null {
  const count = String(get(asked, 'n') ?? 1);
  return /^([1-9]|10)$/.test(count) ? Number(count) : null;
}

/** `256x256`; null where it should have been refused. */
export function sizeOf(asked: Json | undefined): string | null {
  const size = get(asked, 'size') ?? '1024x1024';
  return typeof size === 'string' && SIZES.includes(size) ? size : null;
}

export function formOf(asked: Json | undefined): string {
  return text(asked, 'response_format') ?? 'url';
}

function imageOf(element: Json, i: number): DrawnImage {
  const base64 = text(element, 'b64_json');
  let known: { readonly picture: Picture | null } | undefined;
  return {
    at: `/data/${i}`,
    element,
    url: text(element, 'url'),
    base64,
    picture: () => {
      known ??= { picture: pictureIn(base64) };
      return known.picture;
    },
  };
}

function pictureIn(base64: string | undefined): Picture | null {
  const bytes = base64 === undefined ? null : fromBase64(base64);
  return bytes === null ? null : readPicture(bytes);
}
