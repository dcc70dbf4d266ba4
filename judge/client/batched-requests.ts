// The requests in the lines of an uploaded input of a batch, read as if each had been sent by itself: the specification says
// that a line holds the request body of its endpoint.
import type { Exchange } from '../../exchange/exchange.ts';
import { Body } from '../../exchange/http/body.ts';
import { isJsonObject } from '../../schemas/json.ts';
import { textAt } from '../evidence/json.ts';
import { Call } from '../trace/call.ts';
import { BATCH_ENDPOINTS, batchLinesOf } from './uploads.ts';

/** A request in a line of an input. */
export interface BatchedRequest {
  readonly call: Call;
  /** For findings: `request file file line 3`. */
  readonly at: string;
}

/** The requests in the upload of an input; none for any other call, and for lines of endpoints that are not known. */
export function* batchedRequests(call: Call): Generator<BatchedRequest> {
  for (const { at, value } of batchLinesOf(call)) {
    const url = textAt(value, 'url') ?? '';
    if (!isJsonObject(value) || !isJsonObject(value['body']) || !BATCH_ENDPOINTS.includes(url)) continue;
    const alone = Call.of(sentAlone(call.exchange, url, JSON.stringify(value['body'])), '');
    if (alone !== null) yield { call: alone, at };
  }
}

/** The upload, with a request of one of its lines in its place. */
function sentAlone(exchange: Exchange, target: string, content: string): Exchange {
  const { request } = exchange;
  const body = Body.of(content);
  const headers = [['content-type', 'application/json']] as const;
  return { ...exchange, request: { ...request, method: 'POST', target, headers, body } };
}
