import type { Exchange } from '../../exchange.ts';
import { Body } from '../../http/body.ts';
import type { ResponseLine, TimingLine } from './lines.ts';
import { mergeTimingHeaders } from './parse-exchange.ts';

/** The part of an exchange that a replay sends. */
export type RecordedResponse = Pick<Exchange, 'id' | 'response' | 'end'>;

/** The answer of the k-th exchange, from its head and the bytes of its body: what `parseExchange` returns for a plain one. */
export function parseRecordedResponse(
  k: number,
  { status, reason, headers }: ResponseLine,
  body: Uint8Array,
  timing: TimingLine | null,
): RecordedResponse {
  return {
    id: `e${k + 1}`,
    response: {
      status,
      reason,
      headers: mergeTimingHeaders(headers, timing?.response),
      body: Body.of(body),
      trailers: NONE,
      pieces: timing?.pieces?.map(([offset, at]) => ({ offset, at })) ?? NONE,
    },
    end: { how: 'complete', detail: null, at: timing?.end ?? 0 },
  };
}

const NONE: readonly never[] = [];
