import type { Exchange } from '../../exchange/exchange.ts';
import { gapsBetweenEvents } from '../../judge/coverage/latency.ts';
import { type CallDialect, operationOf, targetPath } from '../../judge/trace/call.ts';

export interface ExchangeMeasure {
  /** Operation id; `other` if neither specification nor dialect lists the request. */
  readonly operation: string;
  /** `2xx`; `none` if no status line arrived. */
  readonly status: string;
  /** Seconds from the request to the first byte of the response body; null if none arrived or its time is unknown. */
  readonly firstByte: number | null;
  /** Seconds between consecutive events of a stream, the first 1000; empty for other responses. */
  readonly gaps: readonly number[];
  readonly requestBytes: number;
  /** Bytes of the response body before decompression; 0 without a response. */
  readonly responseBytes: number;
}

const MAX_GAPS = 1000;

export function measureExchange(exchange: Exchange, dialect: CallDialect | null): ExchangeMeasure {
  const { request, response } = exchange;
  const first = response?.pieces[0]?.at;
  const gaps = response === null ? [] : gapsBetweenEvents(response);
  return {
    operation: operationNameOf(exchange, dialect),
    status: response === null ? 'none' : `${Math.floor(response.status / 100)}xx`,
    firstByte: first === undefined ? null : first / 1000,
    gaps: gaps.slice(0, MAX_GAPS).map((gap) => gap / 1000),
    requestBytes: request.body.size,
    responseBytes: response?.body.size ?? 0,
  };
}

/** The operation for logs and metrics. All unlisted requests share one value, so that a label has few values. */
export function operationNameOf({ request }: Exchange, dialect: CallDialect | null): string {
  // As in `Call.from`, paths of the dialect come first.
  const match = dialect?.match(request.method, targetPath(request.target)) ?? operationOf(request);
  return match?.operation.id ?? 'other';
}
