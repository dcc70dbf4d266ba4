// Edits after which a service shows less: it refuses a request, empties a response, or truncates it.
import type { Exchange } from '../../exchange/exchange.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { isJsonObject, type Json } from '../../schemas/json.ts';
import { withBody, withEvents, withJsonResponse, withResponseJson } from './exchanges.ts';

export function refuse(exchange: Exchange): Exchange {
  const error = { message: 'This service does not accept such a request.', type: 'invalid_request_error' };
  return withJsonResponse(exchange, 400, { error: { ...error, param: null, code: null } });
}

/** Empties a 2xx response: a list, other JSON, a stream or a file. Removes the body if its list is already empty. */
export function empty(exchange: Exchange): Exchange {
  if (!isSuccess(exchange)) return exchange;
  const withoutEvents = withEvents(exchange, () => []);
  if (withoutEvents !== exchange) return withoutEvents;
  const withoutJson = withResponseJson(exchange, (json) => (isPage(json) ? pageWith(json, []) : {}));
  return withoutJson === exchange ? withBody(exchange, '') : withoutJson;
}

export function cutInHalf(exchange: Exchange): Exchange {
  if (!isSuccess(exchange)) return exchange;
  const withHalf = withEvents(exchange, (events) => events.slice(0, Math.floor(events.length / 2)));
  if (withHalf !== exchange || exchange.response === null) return withHalf;
  const bytes = decodedContent(exchange.response)?.bytes ?? new Uint8Array();
  return withBody(exchange, bytes.subarray(0, Math.floor(bytes.length / 2)));
}

export function emptyValue(value: Json): Json {
  if (Array.isArray(value)) return value.length > 0 ? [] : value;
  return isJsonObject(value) && Object.keys(value).length > 0 ? {} : value;
}

type Page = Readonly<Record<string, Json>> & { readonly data: readonly Json[] };

export function isPage(json: Json): json is Page {
  return isJsonObject(json) && Array.isArray(json['data']);
}

/** Gives a page fewer elements, and corrects its `first_id`, `last_id` and, if none are left, `has_more`. */
export function pageWith(page: Page, data: readonly Json[]): Json {
  if (page.data.length === data.length) return page;
  const idOf = (element: Json | undefined): Json => (isJsonObject(element) ? (element['id'] ?? null) : null);
  const ends = { first_id: idOf(data[0]), last_id: idOf(data.at(-1)) };
  const more = data.length === 0 && 'has_more' in page ? { has_more: false } : {};
  return { ...page, data: [...data], ...more, ...('first_id' in page ? ends : {}) };
}

function isSuccess({ response }: Exchange): boolean {
  return response !== null && response.status < 300;
}
