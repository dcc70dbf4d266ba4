import { Body } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import type { ResponseLine, TimingLine } from './format.ts';
import { merged } from './parse.ts';

/** What a replay gives of an exchange. */
export type Answer = Pick<Exchange, 'id' | 'response' | 'end'>;

/** The answer of the k-th exchange, from its head and the bytes of its body: what `parseExchange` tells of a plain one. */
export function plainAnswer(
  k: number,
  { status, reason, headers }: ResponseLine,
  body: Uint8Array,
  timing: TimingLine | null,
): Answer {
  return {
    id: `e${k + 1}`,
    response: {
      status,
      reason,
      headers: merged(headers, timing?.response),
      body: Body.of(body),
      trailers: NONE,
      pieces: timing?.pieces?.map(([offset, at]) => ({ offset, at })) ?? NONE,
    },
    end: { how: 'complete', detail: null, at: timing?.end ?? 0 },
  };
}

const NONE: readonly never[] = [];
