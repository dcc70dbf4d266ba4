// Edits of one exchange. Headers stay consistent with the body, so that only the intended point is wrong.
import type { Exchange, HeaderPairs, HttpResponse } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import type { Edit } from './values.ts';

/** The exchange with another response body. Content coding is removed, and `Content-Length` updated. */
export function withBody(exchange: Exchange, content: Uint8Array | string): Exchange {
  return withResponse(exchange, (response) => {
    const body = Body.of(content);
    const headers = response.headers
      .filter(([name]) => name.toLowerCase() !== 'content-encoding')
      .map(([name, value]) => [name, isLength(name) ? String(body.size) : value] as const);
    const at = response.pieces[0]?.at ?? exchange.end.at;
    return { ...response, headers, body, pieces: [{ offset: 0, at }] };
  });
}

/**
 * The exchange with its JSON response edited; the same exchange if it has none, or if the edit does not apply.
 */
export function withResponseJson(exchange: Exchange, edit: Edit): Exchange {
  const json = exchange.response === null ? null : (decodedContent(exchange.response)?.json ?? null);
  if (json === null) return exchange;
  const changed = edit(json.value);
  return changed === json.value ? exchange : withBody(exchange, JSON.stringify(changed));
}

/** The exchange with another status. */
export function withStatus(exchange: Exchange, status: number): Exchange {
  return withResponse(exchange, (response) => ({ ...response, status, reason: '' }));
}

/** Replaces all headers of a name; null removes them. */
export function withHeader(exchange: Exchange, name: string, value: string | null): Exchange {
  return withResponse(exchange, (response) => {
    const others: HeaderPairs = response.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
    return { ...response, headers: value === null ? others : [...others, [name, value]] };
  });
}

/** The exchange answered with this JSON and status. */
export function withJsonResponse(exchange: Exchange, status: number, json: Json): Exchange {
  const labelled = withHeader(exchange, 'content-type', 'application/json');
  return withStatus(withBody(labelled, JSON.stringify(json)), status);
}

/** The exchange with its response changed; the same exchange if it has none. */
export function withResponse(exchange: Exchange, change: (response: HttpResponse) => HttpResponse): Exchange {
  return exchange.response === null ? exchange : { ...exchange, response: change(exchange.response) };
}

function isLength(name: string): boolean {
  return name.toLowerCase() === 'content-length';
}
