import type { HttpRequest, HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { bufferOn } from '../../exchange/http/bytes.ts';
import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { allHeaders } from '../../exchange/http/headers.ts';
import type { SseEvent } from '../../exchange/http/sse-reader.ts';
import { BETA_HEADERS } from '../../exchange/matching/request-key.ts';
import type { ResponseShape } from '../../schemas/contract.ts';
import { fulfils, matchOperation, schemaValidator } from '../../schemas/index.ts';
import { plural } from '../../schemas/message-text.ts';
import type { IdMap } from './id-map.ts';
import { findStreamDrifts } from './stream-drift.ts';
import { type Drift, type DriftOptions, findValueDrifts } from './value-drift.ts';

const MAX_DRIFTS = 50;

export interface ExchangeDriftOptions extends DriftOptions {
  /** Bodies that the client has uploaded so far. */
  readonly uploads: readonly Uint8Array[];
  /** Name of the service's own beta header, which selects a version like the well-known ones. */
  readonly betaHeader: string;
}

/** Returns at most 50 drifts; a different status or content type is the only one. */
export function findDrifts(
  request: HttpRequest,
  recorded: HttpResponse,
  live: HttpResponse,
  { uploads, betaHeader, ...options }: ExchangeDriftOptions,
): Drift[] {
  if (recorded.status !== live.status)
    return [{ kind: 'status', at: 'status', recorded: recorded.status, now: live.status }];
  const [recordedType, liveType] = [recorded, live].map(
    ({ headers }) => mediaTypeOf(headers)?.essence ?? null,
  );
  if (recordedType !== liveType)
    return [{ kind: 'content-type', at: 'header content-type', recorded: recordedType, now: liveType }];
  const compareSchema = (before: readonly ResponseValue[], after: readonly ResponseValue[]) =>
    live.status < 300 ? findSchemaDrifts(expectedShape(request, betaHeader), before, after) : [];
  const [recordedEvents, liveEvents] = [eventsOf(recorded)?.events, eventsOf(live)?.events];
  if (recordedEvents !== undefined && liveEvents !== undefined) {
    const schemaDrifts = compareSchema(eventValues(recordedEvents), eventValues(liveEvents));
    return mergePlaces([...schemaDrifts, ...findStreamDrifts(recordedEvents, liveEvents, options)]);
  }
  if (isUploaded(request, recorded, uploads)) return findBytesDrift(recorded, live, options.ids);
  const [before, after] = [decodedContent(recorded)?.json, decodedContent(live)?.json];
  if (before == null || after == null) return findBytesDrift(recorded, live, options.ids);
  const schemaDrifts = compareSchema(
    [{ value: before.value, name: null, event: 0 }],
    [{ value: after.value, name: null, event: 0 }],
  );
  return mergePlaces([...schemaDrifts, ...findValueDrifts(before.value, after.value, options)]);
}

/** Merges drifts at the same place; if one of them violates the schema, the schema's message is kept. */
function mergePlaces(drifts: readonly Drift[]): Drift[] {
  const places = new Map<string, Drift>();
  for (const drift of drifts) {
    const earlier = places.get(drift.at);
    places.set(drift.at, earlier?.kind === 'schema' ? addSchemaMessage(earlier, drift) : drift);
  }
  return [...places.values()].slice(0, MAX_DRIFTS);
}

function addSchemaMessage(violation: Drift, { kind, recorded, now }: Drift): Drift {
  const describe = (value: Json | undefined) => {
    if (kind === 'value') return JSON.stringify(value);
    return kind === 'length' ? plural(Number(value), 'element') : String(value);
  };
  return { ...violation, recorded: describe(recorded), now: `${describe(now)}: ${violation.now}` };
}

/** Whether a response is a file that the client uploaded earlier, which must be returned byte for byte. */
function isUploaded(
  { method, target }: HttpRequest,
  { body: { bytes } }: HttpResponse,
  uploads: readonly Uint8Array[],
): boolean {
  const match = matchOperation(method, target.split('?')[0] ?? '');
  if (match?.operation.id !== 'retrieveFileContent' || bytes === null) return false;
  return uploads.some((upload) => bufferOn(upload).includes(bufferOn(bytes)));
}

/** Compares bodies byte for byte, except for newly assigned identifiers. */
function findBytesDrift({ body: before }: HttpResponse, { body: after }: HttpResponse, ids: IdMap): Drift[] {
  if (before.sha256 === after.sha256) return [];
  if (before.bytes !== null && after.bytes !== null) {
    // Identifiers are ASCII, so bytes that are not text stay as they are.
    const expected = ids.apply(bufferOn(before.bytes).toString('latin1'));
    if (expected === bufferOn(after.bytes).toString('latin1')) return [];
  }
  const difference = before.size === after.size ? ' (different content)' : '';
  return [
    { kind: 'value', at: 'body', recorded: `${before.size} bytes`, now: `${after.size} bytes${difference}` },
  ];
}

interface ResponseValue {
  readonly value: Json;
  readonly name: string | null;
  /** Number of its event, from 1; 0 for a whole body. */
  readonly event: number;
}

function eventValues(events: readonly SseEvent[]): readonly ResponseValue[] {
  return events.flatMap(({ n, event, json }) =>
    json === null ? [] : [{ value: json.value, name: event, event: n }],
  );
}

function findSchemaDrifts(
  shape: ResponseShape | null,
  recorded: readonly ResponseValue[],
  live: readonly ResponseValue[],
): Drift[] {
  if (shape === null) return [];
  const keys = new Set(recorded.flatMap((value) => findSchemaViolations(shape, value).map(({ key }) => key)));
  const drifts: Drift[] = [];
  for (const value of live) {
    for (const { key, pointer, keyword, message } of findSchemaViolations(shape, value)) {
      if (keys.has(key)) continue;
      keys.add(key);
      const at = value.name === null ? pointer : `event ${value.event} ${pointer}`;
      drifts.push({ kind: 'schema', at, recorded: `valid (${keyword})`, now: message });
    }
  }
  return drifts;
}

function findSchemaViolations(shape: ResponseShape, { value, name }: ResponseValue) {
  const schema = name === null ? shape.schema : eventSchema(shape, name);
  if (schema === null) return [];
  return schemaValidator(schema)(value).map((violation) => ({
    ...violation,
    key: `${name ?? ''} ${violation.pointer} ${violation.keyword}`,
  }));
}

function eventSchema({ events }: ResponseShape, name: string): string | null {
  return events !== null && Object.hasOwn(events, name) ? (events[name] ?? null) : null;
}

function expectedShape(
  { method, target, headers, body }: HttpRequest,
  betaHeader: string,
): ResponseShape | null {
  const match = matchOperation(method, target.split('?')[0] ?? '');
  if (match === null) return null;
  const beta = [...BETA_HEADERS, betaHeader].flatMap((name) => allHeaders(headers, name)).join(',');
  const variants = match.operation.variants;
  const variant =
    variants.find((candidate) => candidate.beta !== null && beta.includes(candidate.beta)) ?? variants[0];
  if (variant === undefined) return null;
  const json = body.json?.value;
  // Forms are not parsed here, so their conditions count as unmet.
  const applies = ({ when }: ResponseShape) =>
    when === null || (json !== undefined && fulfils(when, json, variant));
  return (
    variant.answers.find((shape) => (shape.schema !== null || shape.events !== null) && applies(shape)) ??
    null
  );
}
