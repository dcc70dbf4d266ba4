import { decodedContent } from '../../exchange/http/content.ts';
import { type ResponseClass, responseClassOf } from '../../judge/trace/response-class.ts';
import { computeOnce } from '../rows/on-first-use.ts';
import { LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import type { Call, Collector, Evidence, Exchange, Json, Selector } from '../vocabulary/types.ts';
import { IMAGE_OPERATIONS, requestedSize } from './image-responses.ts';
import { type PictureInfo, readPictureInfo } from './picture.ts';

export interface ImageDownload extends Evidence {
  readonly asked: Json | undefined;
  readonly size: () => string | undefined;
  /** Absolute URL as in the response with the image. */
  readonly url: string;
  readonly responseClass: ResponseClass;
  readonly status: number | null;
  /** Reads the downloaded image on the first call; null unless the download is a complete 200. */
  readonly picture: () => PictureInfo | null;
}

/** Downloads from the URL of an image that began after the response with this URL. */
export const imageDownloads: Selector<ImageDownload> = {
  operations: IMAGE_OPERATIONS,
  variant: null,
  downloads: true,
  collect: () => new DownloadCollector(),
};

interface ImageUrl {
  readonly call: Call;
  readonly url: string;
}

class DownloadCollector implements Collector<ImageDownload> {
  /** Image URLs by request target; null if several URLs have the same target because signatures are masked. */
  readonly #byTarget = new LruMap<ImageUrl | null>();
  /** Image URLs by request target without the values of its parameters; null if that makes several URLs equal. */
  readonly #byPattern = new LruMap<ImageUrl | null>();

  call(call: Call): readonly ImageDownload[] {
    for (const image of arrayAt(call.responseJson, 'data')) {
      const url = textAt(image, 'url') ?? '';
      for (const target of targetsOf(url)) this.#addUrl(target, { call, url });
    }
    return [];
  }

  #addUrl(target: string, added: ImageUrl): void {
    const isSame = (known: ImageUrl | null) =>
      known?.url === added.url && (known.call === added.call || !isMasked(added.url));
    const atTarget = this.#byTarget.get(target);
    this.#byTarget.set(
      target,
      atTarget === undefined || !isMasked(target) || isSame(atTarget) ? added : null,
    );
    const pattern = targetPattern(target);
    const atPattern = this.#byPattern.get(pattern);
    this.#byPattern.set(pattern, atPattern === undefined || isSame(atPattern) ? added : null);
  }

  /**
   * Recordings mask signatures, so a signed URL with an unknown target is recognised by its path and the names of its
   * parameters.
   */
  #sourceOf(target: string): ImageUrl | null {
    const source = this.#byTarget.get(target);
    if (source !== undefined || !isMasked(target)) return source ?? null;
    return this.#byPattern.get(targetPattern(target)) ?? null;
  }

  download(exchange: Exchange): readonly ImageDownload[] {
    const source = exchange.request.method === 'GET' ? this.#sourceOf(exchange.request.target) : null;
    if (source === null || !precedes(source.call.exchange, exchange)) return [];
    const { call, url } = source;
    const content = exchange.response === null ? null : decodedContent(exchange.response);
    return [
      {
        asked: call.requestJson,
        size: () => requestedSize(call.requestJson),
        url,
        responseClass: responseClassOf(exchange),
        status: exchange.response?.status ?? null,
        picture: computeOnce(() => {
          // The body of a 206 is only a part of the image.
          const isComplete = exchange.response?.status === 200 && exchange.end.how === 'complete';
          return isComplete && content?.bytes ? readPictureInfo(content.bytes) : null;
        }),
        exchanges: [call.exchange, exchange],
      },
    ];
  }
}

function isMasked(target: string): boolean {
  return target.includes('redacted_');
}

/** Possible request targets for a URL: its whole path, or its path without the base path of the target. */
function targetsOf(url: string): readonly string[] {
  // A data URL is not downloaded, and would be a key of any size.
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return [];
  const { pathname, search } = new URL(url);
  const baseLength = pathname.indexOf('/v1/');
  const target = `${pathname}${search}`;
  return baseLength > 0 ? [target, target.slice(baseLength)] : [target];
}

function targetPattern(target: string): string {
  const [path = '', ...query] = target.split('?');
  return [path, ...[...new URLSearchParams(query.join('?')).keys()].toSorted()].join('?');
}
