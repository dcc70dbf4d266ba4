import type { HttpRequest, HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { SseEvent } from '../../exchange/http/sse-reader.ts';
import { matchOperation } from '../../schemas/index.ts';
import { isJsonBranch } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import { type Drift, type DriftOptions, isFree, kindOf } from './compared-places.ts';
import { type ResponseValue, schemaDrift } from './due-schema.ts';
import { streamDrift } from './stream-drift.ts';

/** Largest number of drifts that are reported for an exchange. */
const MOST = 50;

/**
 * Compares two responses to one request. A different status or content type ends the comparison; then schema
 * and values, of a stream from event to event. At most 50 drifts.
 */
export function findDrifts(
  request: HttpRequest,
  recorded: HttpResponse,
  now: HttpResponse,
  options: DriftOptions,
): Drift[] {
  if (recorded.status !== now.status) {
    return [{ kind: 'status', at: 'status', recorded: recorded.status, now: now.status }];
  }
  const types = [recorded, now].map(({ headers }) => mediaTypeOf(headers)?.essence ?? null);
  if (types[0] !== types[1]) {
    return [
      { kind: 'content-type', at: 'header content-type', recorded: types[0] ?? null, now: types[1] ?? null },
    ];
  }
  const streams = [eventsOf(recorded)?.events, eventsOf(now)?.events] as const;
  const isSuccess = now.status < 300;
  if (streams[0] !== undefined && streams[1] !== undefined) {
    const [before, after] = [eventValues(streams[0]), eventValues(streams[1])];
    const schema = isSuccess ? schemaDrift(request, before, after) : [];
    return [...streamDrift(streams[0], streams[1], options), ...schema].slice(0, MOST);
  }
  const values = [decodedContent(recorded)?.json ?? null, decodedContent(now)?.json ?? null] as const;
  if (values[0] === null || values[1] === null) return bytesDrift(recorded, now);
  const [before, after] = [bodyValue(values[0].value), bodyValue(values[1].value)];
  const found = isSuccess ? schemaDrift(request, [before], [after]) : [];
  const counted = isChat(request) ? '/choices' : null;
  const root = { pointer: '', path: [] };
  compareValues(root, values[0].value, values[1].value, { ...options, counted, found });
  return found.slice(0, MOST);
}

function bodyValue(value: Json): ResponseValue {
  return { value, name: null, event: 0 };
}

/** The data of the events that are JSON. */
function eventValues(events: readonly SseEvent[]): readonly ResponseValue[] {
  return events.flatMap(({ n, event, json }) =>
    json === null ? [] : [{ value: json.value, name: event, event: n }],
  );
}

/** Bodies that are not JSON are compared by digest. */
function bytesDrift(recorded: HttpResponse, now: HttpResponse): Drift[] {
  if (recorded.body.sha256 === now.body.sha256) return [];
  return [
    { kind: 'value', at: 'body', recorded: `${recorded.body.size} bytes`, now: `${now.body.size} bytes` },
  ];
}

/** The request of a chat completion states the number of choices. */
function isChat({ method, target }: HttpRequest): boolean {
  return matchOperation(method, target.split('?')[0] ?? '')?.operation.id === 'createChatCompletion';
}

interface Comparison extends DriftOptions {
  /** Pointer of the list whose length must not differ; other lists may only not become empty. */
  readonly counted: string | null;
  /** Receives the drifts. */
  readonly found: Drift[];
}

/** A place in a JSON body, in two forms. */
interface BodyPlace {
  /** JSON pointer. */
  readonly pointer: string;
  /** The same as names and indices. */
  readonly path: readonly string[];
}

/**
 * Compares two values, and what is inside them. Elements of arrays are compared by index, as far as both have
 * them.
 */
function compareValues(
  place: BodyPlace,
  recorded: Json | undefined,
  now: Json | undefined,
  options: Comparison,
): void {
  const { pointer, path } = place;
  const { found } = options;
  if (found.length >= MOST || isFree(path, options)) return;
  const kinds = [kindOf(recorded), kindOf(now)];
  if (kinds[0] !== kinds[1]) {
    found.push({ kind: 'schema', at: pointer, recorded: kinds[0], now: kinds[1] });
  } else if (isJsonBranch(recorded) && isJsonBranch(now)) {
    if (Array.isArray(recorded) && Array.isArray(now)) {
      const [before, after] = [recorded.length, now.length];
      const matters = pointer === options.counted || after === 0;
      if (before !== after && before > 0 && matters)
        found.push({ kind: 'length', at: pointer, recorded: before, now: after });
    }
    const [left, right] = [new Map(Object.entries(recorded)), new Map(Object.entries(now))];
    const names = Array.isArray(recorded)
      ? [...left.keys()].filter((name) => right.has(name))
      : new Set([...left.keys(), ...right.keys()]);
    for (const name of names) {
      const inner = { pointer: `${pointer}/${pointerToken(name)}`, path: [...path, name] };
      compareValues(inner, left.get(name), right.get(name), options);
    }
  } else if (recorded !== now && !(typeof recorded === 'string' && options.ids.apply(recorded) === now)) {
    found.push({ kind: 'value', at: pointer, recorded, now });
  }
}
