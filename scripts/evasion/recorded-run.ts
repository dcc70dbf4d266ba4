import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { Call } from '../../judge/trace/call.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { identifiersIn, requestIdentity } from './request-identity.ts';

export interface RecordedRun {
  readonly header: TraceHeader;
  readonly items: readonly TraceItem[];
  readonly calls: ReadonlyMap<Exchange, Call>;
  readonly identifiers: ReadonlyMap<Exchange, Readonly<Record<'named' | 'shown', readonly string[]>>>;
}

export interface DistinctRequest {
  readonly identity: string;
  readonly operation: string;
  /** Exchanges in the order in which they ended. */
  readonly exchanges: readonly Exchange[];
}

export function interpretRun(header: TraceHeader, items: readonly TraceItem[]): RecordedRun {
  const exchanges = items.filter((item): item is Exchange => !isNote(item));
  const calls = exchanges.flatMap((exchange) => {
    const call = Call.from(exchange, header.betaHeader);
    return call === null ? [] : [[exchange, call] as const];
  });
  const identifiers = exchanges.map((exchange) => {
    const { request, response } = exchange;
    const named = identifiersIn(`${request.target} ${request.body.text ?? ''}`);
    return [exchange, { named, shown: identifiersIn(response?.body.text ?? '') }] as const;
  });
  return { header, items, calls: new Map(calls), identifiers: new Map(identifiers) };
}

/** The distinct valid requests of a run: accepted ones that were not sent as violations. */
export function distinctRequests({ header, calls }: RecordedRun): readonly DistinctRequest[] {
  const requests = new Map<string, { readonly operation: string; readonly exchanges: Exchange[] }>();
  for (const [exchange, { operation, responseClass }] of calls) {
    if (responseClass !== 'accepted' || exchange.probe?.side === 'violation') continue;
    const identity = requestIdentity(exchange.request, header.betaHeader);
    const request = getOrMake(requests, identity, () => ({ operation: operation.id, exchanges: [] }));
    request.exchanges.push(exchange);
  }
  return [...requests].map(([identity, request]) => ({ identity, ...request }));
}
