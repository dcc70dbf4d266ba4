import type { HeaderPairs } from '../exchange.ts';
import { firstHeader } from '../http/headers.ts';
import { encodeBase64 } from './content.ts';
import { type HarContent, type HarEntry, harHeaders } from './format.ts';

export interface PlainEntry {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderPairs;
  readonly requestBody: Uint8Array | null;
  readonly response: {
    readonly status: number;
    readonly reason: string;
    readonly headers: HeaderPairs;
    /** With or without content codings; null if the recorder left it out. */
    readonly body: Uint8Array | null;
  } | null;
  readonly error: string | null;
  /** Milliseconds since 1970; null if they are missing or not read; the order is then unknown. */
  readonly times: { readonly began: number; readonly ended: number } | null;
}

export function toHarEntry(entry: PlainEntry): HarEntry {
  const { method, url, headers, requestBody: body, response, error, times } = entry;
  return {
    ...(times !== null && { startedDateTime: new Date(times.began).toISOString() }),
    time: times === null ? 0 : Math.max(0, times.ended - times.began),
    request: {
      method,
      url,
      headers: harHeaders(headers),
      bodySize: body?.length ?? -1,
      ...(body !== null &&
        body.length > 0 && {
          postData: { text: encodeBase64(body), _encoding: 'base64', mimeType: typeOf(headers) },
        }),
    },
    response: {
      status: response?.status ?? 0,
      statusText: response?.reason ?? '',
      headers: harHeaders(response?.headers ?? []),
      content: contentOf(response),
      bodySize: response?.body?.length ?? -1,
      _error: error,
    },
  };
}

/** A body that the recorder left out gets size 1 and no text, because size 0 would mean an empty body. */
function contentOf(response: PlainEntry['response']): HarContent {
  const mimeType = typeOf(response?.headers ?? []);
  if (response === null) return { size: 0, mimeType };
  if (response.body === null) return { size: 1, mimeType };
  return { size: response.body.length, mimeType, text: encodeBase64(response.body), encoding: 'base64' };
}

function typeOf(headers: HeaderPairs): string {
  return firstHeader(headers, 'content-type') ?? '';
}
