import type { Exchange, HttpRequest } from '../../exchange/exchange.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { isNote, type Note, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { Call } from '../../judge/trace/call.ts';
import { refuse } from '../../proof/mutations/evasions.ts';
import { getOrMake } from '../../schemas/grouping.ts';

/** The trace of a run against the reference, with its exchanges interpreted once for all edits. */
export interface RecordedRun {
  readonly header: TraceHeader;
  readonly items: readonly TraceItem[];
  readonly calls: ReadonlyMap<Exchange, Call>;
  /** The identifiers that a request names, and those that its response shows. */
  readonly identifiers: ReadonlyMap<Exchange, Identifiers>;
}

interface Identifiers {
  readonly named: readonly string[];
  readonly shown: readonly string[];
}

export interface DistinctRequest {
  readonly identity: string;
  readonly operation: string;
  /** Exchanges in the order in which they ended. */
  readonly exchanges: readonly Exchange[];
}

export function recordedRun(header: TraceHeader, items: readonly TraceItem[]): RecordedRun {
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
  const found = new Map<string, { readonly operation: string; readonly exchanges: Exchange[] }>();
  for (const [exchange, { operation, responseClass }] of calls) {
    if (responseClass !== 'accepted' || exchange.probe?.side === 'violation') continue;
    const identity = requestIdentity(exchange.request, header.betaHeader);
    getOrMake(found, identity, () => ({ operation: operation.id, exchanges: [] })).exchanges.push(exchange);
  }
  return [...found].map(([identity, one]) => ({ identity, ...one }));
}

// Equivalence of requests: identifiers and names that differ in each run are replaced by their kind.

/** Identifiers that the reference generates: `run_` with its random part, in paths and in bodies. */
const GENERATED_ID =
  /\b(?:asst|batch|call|chatcmpl|cmpl|file|ftckpt|ftevent|ftjob|msg|run|step|thread|vs|vsfb)[_-][A-Za-z0-9]{16,}/g;
/** Names of models that the reference has trained: `ft:chat-small:reference::3bx6jGeQ`, in paths with `%3A`. */
const TRAINED_MODEL = /ft(?::|%3A)[^"&/?\s]*/g;
/** The tag that a scenario adds to everything it creates. */
const SCENARIO_TAG = /assay-[0-9a-f]{6,}(?:-\d+)?/g;
/** Random identifiers that a scenario uses because no object has them. */
const RANDOM_ID = /[0-9a-f]{24}/g;

/**
 * A text that is equal for equivalent requests of any runs against the reference: method, target, variant, and body. Bodies that are
 * not text are given by their digest.
 */
export function requestIdentity(request: HttpRequest, betaHeader: string): string {
  const { method, target, headers, body } = request;
  const beta = firstHeader(headers, betaHeader) ?? '';
  return (
    [method, anonymise(target), beta, contentOf(request)].join(' ').slice(0, MAX_IDENTITY_LENGTH) +
    (body.size > MAX_IDENTITY_LENGTH ? ` ${body.size}` : '')
  );
}

/** Longer identities are cut and extended by the size of the body. */
const MAX_IDENTITY_LENGTH = 4096;

/** The body; a form is given by its parts, because its boundary is random. */
function contentOf(request: HttpRequest): string {
  const parts = formDataParts(request);
  if (parts === null) return anonymise(request.body.text ?? request.body.sha256);
  return parts
    .map(
      ({ name, filename, body }) =>
        `${name}=${anonymise(filename ?? '')}:${anonymise(body.text ?? body.sha256)}`,
    )
    .join('&');
}

function anonymise(text: string): string {
  return text
    .replace(TRAINED_MODEL, 'ft:…')
    .replace(SCENARIO_TAG, 'TAG')
    .replace(GENERATED_ID, (id) => `${id.slice(0, id.search(/[_-]/))}_ID`)
    .replace(RANDOM_ID, 'UNKNOWN');
}

export function identifiersIn(text: string): readonly string[] {
  return [
    ...new Set(
      [...text.matchAll(GENERATED_ID), ...text.matchAll(TRAINED_MODEL)].map(([id]) =>
        id.replaceAll('%3A', ':'),
      ),
    ),
  ];
}

// The trace of a service that refuses one request, derived from that of a service that accepts it.

/** Whether a scenario continues after a refusal, or ends there. */
export type Aftermath = 'continues' | 'blocked';

/** Answers these exchanges with 400 and removes requests for objects that no response shows any longer. */
export function refusedTrace(
  run: RecordedRun,
  refused: ReadonlySet<Exchange>,
  aftermath: Aftermath,
): readonly TraceItem[] {
  const shown = new Set<string>();
  const missing = new Set<string>();
  const never = new Set<string>();
  const blocked = new Map<string, Exchange>();
  return run.items.flatMap((item): readonly TraceItem[] => {
    if (isNote(item)) return withBlockNote(item, blocked);
    const { scenario } = item;
    const own = run.identifiers.get(item) ?? { named: [], shown: [] };
    const isLost = own.named.some((id) => never.has(id) || (missing.has(id) && !shown.has(id)));
    // Only the reads of a blocked scenario are removed, because lists of other scenarios show the objects that it creates.
    const isOver = scenario !== null && blocked.has(scenario) && item.request.method === 'GET';
    if (isOver || isLost) {
      drop(item);
      return [];
    }
    if (!refused.has(item)) {
      for (const id of own.shown) if (!never.has(id)) shown.add(id);
      return [item];
    }
    drop(item);
    if (aftermath === 'blocked' && scenario !== null) blocked.set(scenario, item);
    return [refuse(item)];
  });

  /** Counts the objects in the response as missing or, if it is the response to a POST, as never created. */
  function drop(item: Exchange): void {
    const { shown: lost } = run.identifiers.get(item) ?? { shown: [] };
    const isCreation = item.request.method === 'POST';
    for (const id of lost) if (!shown.has(id)) (isCreation ? never : missing).add(id);
  }
}

function withBlockNote(note: Note, blocked: ReadonlyMap<string, Exchange>): readonly TraceItem[] {
  const by = note.note === 'scenario-ended' ? blocked.get(note.scenario) : undefined;
  if (note.note !== 'scenario-ended' || by === undefined) return [note];
  const { method, target } = by.request;
  const path = target.split('?', 1)[0] ?? '';
  const obstacle = { kind: 'answered', method, path, status: 400 } as const;
  return [{ after: note.after, note: 'blocked', scenario: note.scenario, by: by.id, obstacle }, note];
}
