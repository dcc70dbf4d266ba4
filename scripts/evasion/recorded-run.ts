import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { Call } from '../../judge/trace/call.ts';
import { identifiersIn, requestIdentity } from './request-identity.ts';

/** A trace of a run on the reference, its exchanges read once for all edits. */
export interface RecordedRun {
  readonly header: TraceHeader;
  readonly items: readonly TraceItem[];
  /** Calls of operations, by their exchange. */
  readonly calls: ReadonlyMap<Exchange, Call>;
  /** Identifiers that the request of an exchange names, and those that its response shows. */
  readonly identifiers: ReadonlyMap<Exchange, Identifiers>;
}

/** Identifiers in one exchange. */
interface Identifiers {
  readonly named: readonly string[];
  readonly shown: readonly string[];
}

/** Requests of a run that say the same. */
export interface DistinctRequest {
  readonly identity: string;
  readonly operation: string;
  /** Where it was sent, in the order in which the exchanges ended. */
  readonly exchanges: readonly Exchange[];
}

/** Reads the exchanges of a trace. */
export function recordedRun(header: TraceHeader, items: readonly TraceItem[]): RecordedRun {
  const exchanges = items.filter((item): item is Exchange => !isNote(item));
  const calls = exchanges.flatMap((exchange) => {
    const call = Call.of(exchange, header.betaHeader);
    return call === null ? [] : [[exchange, call] as const];
  });
  const identifiers = exchanges.map(
    (exchange) => [exchange, { named: named(exchange), shown: shown(exchange) }] as const,
  );
  return { header, items, calls: new Map(calls), identifiers: new Map(identifiers) };
}

/** The distinct valid requests of a run: those that were accepted, and not sent as violations. */
export function distinctRequests({ header, calls }: RecordedRun): readonly DistinctRequest[] {
  const found = new Map<string, { readonly operation: string; readonly exchanges: Exchange[] }>();
  for (const [exchange, { operation, responseClass }] of calls) {
    if (responseClass !== 'accepted' || exchange.probe?.side === 'violation') continue;
    const identity = requestIdentity(exchange.request, header.betaHeader);
    const known = found.get(identity) ?? { operation: operation.id, exchanges: [] };
    found.set(identity, known);
    known.exchanges.push(exchange);
  }
  return [...found].map(([identity, one]) => ({ identity, ...one }));
}

/** Identifiers in the path, the query and the body of a request. */
function named({ request }: Exchange): readonly string[] {
  return identifiersIn(`${request.target} ${request.body.text ?? ''}`);
}

/** Identifiers in the body of a response, streams included. */
function shown({ response }: Exchange): readonly string[] {
  return identifiersIn(response?.body.text ?? '');
}
