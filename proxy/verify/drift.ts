import type { HttpRequest, HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { bufferOn } from '../../exchange/http/bytes.ts';
import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { eventsOf, type SseEvent } from '../../exchange/http/event-stream.ts';
import { allHeaders } from '../../exchange/http/headers.ts';
import type { ResponseShape } from '../../schemas/contract.ts';
import { fulfils, matchOperation, schemaValidator } from '../../schemas/index.ts';
import type { IdMap } from './id-map.ts';
import { streamDrift } from './stream-drift.ts';
import { type Drift, type DriftOptions, valueDrift } from './value-drift.ts';

const MAX_DRIFTS = 50;

/**
 * Compares two responses to one request. A different status or content type ends the comparison; otherwise it covers schema and
 * values, or the events of a stream. Returns at most 50 drifts.
 */
export function findDrifts(
  request: HttpRequest,
  recorded: HttpResponse,
  now: HttpResponse,
  { uploads, ...options }: DriftOptions & { readonly uploads: readonly Uint8Array[] },
): Drift[] {
  if (recorded.status !== now.status)
    return [{ kind: 'status', at: 'status', recorded: recorded.status, now: now.status }];
  const types = [recorded, now].map(({ headers }) => mediaTypeOf(headers)?.essence ?? null);
  if (types[0] !== types[1]) {
    return [
      { kind: 'content-type', at: 'header content-type', recorded: types[0] ?? null, now: types[1] ?? null },
    ];
  }
  const compareSchema = (before: readonly ResponseValue[], after: readonly ResponseValue[]) =>
    now.status < 300 ? schemaDrift(request, before, after) : [];
  const streams = [eventsOf(recorded)?.events, eventsOf(now)?.events] as const;
  if (streams[0] !== undefined && streams[1] !== undefined) {
    const schemaDrifts = compareSchema(eventValues(streams[0]), eventValues(streams[1]));
    return mergePlaces([...schemaDrifts, ...streamDrift(streams[0], streams[1], options)]);
  }
  if (isUploaded(request, recorded, uploads)) return bytesDrift(recorded, now, options.ids);
  const [before, after] = [decodedContent(recorded)?.json, decodedContent(now)?.json];
  if (before == null || after == null) return bytesDrift(recorded, now, options.ids);
  const schemaDrifts = compareSchema(
    [{ value: before.value, name: null, event: 0 }],
    [{ value: after.value, name: null, event: 0 }],
  );
  return mergePlaces([...schemaDrifts, ...valueDrift(before.value, after.value, options)]);
}

/** Merges the drifts of each place; a difference that also violates the schema gets the message of the schema. */
function mergePlaces(drifts: readonly Drift[]): Drift[] {
  const places = new Map<string, Drift>();
  for (const drift of drifts) {
    const earlier = places.get(drift.at);
    places.set(drift.at, earlier?.kind === 'schema' ? addSchemaMessage(earlier, drift) : drift);
  }
  return [...places.values()].slice(0, MAX_DRIFTS);
}

function addSchemaMessage(schema: Drift, { kind, recorded, now }: Drift): Drift {
  const describe = (value: Json | undefined) =>
    kind === 'value' ? JSON.stringify(value) : kind === 'length' ? `${value} elements` : String(value);
  return { ...schema, recorded: describe(recorded), now: `${describe(now)}: ${schema.now}` };
}

/** Whether a response is a file that the client uploaded earlier, which must be returned byte for byte. */
function isUploaded(
  { method, target }: HttpRequest,
  { body }: HttpResponse,
  uploads: readonly Uint8Array[],
): boolean {
  const match = matchOperation(method, target.split('?')[0] ?? '');
  const { bytes } = body;
  if (match?.operation.id !== 'retrieveFileContent' || bytes === null) return false;
  return uploads.some((upload) => bufferOn(upload).includes(bufferOn(bytes)));
}

/** Compares bodies that are not JSON byte for byte, except for newly assigned identifiers. */
function bytesDrift({ body: before }: HttpResponse, { body: after }: HttpResponse, ids: IdMap): Drift[] {
  if (before.sha256 === after.sha256) return [];
  if (before.bytes !== null && after.bytes !== null) {
    // Identifiers are ASCII, so bytes that are not text stay as they are.
    const expected = ids.apply(bufferOn(before.bytes).toString('latin1'));
    if (expected === bufferOn(after.bytes).toString('latin1')) return [];
  }
  const others = before.size === after.size ? 'other ' : '';
  return [
    { kind: 'value', at: 'body', recorded: `${before.size} bytes`, now: `${others}${after.size} bytes` },
  ];
}

/** A JSON value of a response: the body, or the data of an event. */
interface ResponseValue {
  readonly value: Json;
  /** Name of its event; null for a whole body. */
  readonly name: string | null;
  /** Number of its event, from 1; 0 for a whole body. */
  readonly event: number;
}

function eventValues(events: readonly SseEvent[]): readonly ResponseValue[] {
  return events.flatMap(({ n, event, json }) =>
    json === null ? [] : [{ value: json.value, name: event, event: n }],
  );
}

/** Schema violations of the current values that the recorded ones do not have; each place is reported once. */
function schemaDrift(
  request: HttpRequest,
  recorded: readonly ResponseValue[],
  now: readonly ResponseValue[],
): Drift[] {
  const shape = expectedShape(request);
  if (shape === null) return [];
  const keys = new Set(recorded.flatMap((value) => schemaViolations(shape, value).map(({ key }) => key)));
  const drifts: Drift[] = [];
  for (const value of now) {
    for (const { key, pointer, keyword, message } of schemaViolations(shape, value)) {
      if (keys.has(key)) continue;
      keys.add(key);
      const at = value.name === null ? pointer : `event ${value.event} ${pointer}`;
      drifts.push({ kind: 'schema', at, recorded: `valid (${keyword})`, now: message });
    }
  }
  return drifts;
}

function schemaViolations(shape: ResponseShape, { value, name }: ResponseValue) {
  const schema = name === null ? shape.schema : (shape.events?.[name] ?? null);
  if (schema === null) return [];
  return schemaValidator(schema)(value).map(({ pointer, keyword, message }) => ({
    key: `${name ?? ''} ${pointer} ${keyword}`,
    pointer,
    keyword,
    message,
  }));
}

/** The specified form of the successful response to a request; null if none is specified. */
function expectedShape({ method, target, headers, body }: HttpRequest): ResponseShape | null {
  const match = matchOperation(method, target.split('?')[0] ?? '');
  if (match === null) return null;
  const beta = [...allHeaders(headers, 'openai-beta'), ...allHeaders(headers, 'vendor-beta')].join(',');
  const variants = match.operation.variants;
  const variant = variants.find((one) => one.beta !== null && beta.includes(one.beta)) ?? variants[0];
  if (variant === undefined) return null;
  const sent = body.json?.value;
  // Forms are not parsed here, so their conditions count as unmet.
  const applies = ({ when }: ResponseShape) =>
    when === null || (sent !== undefined && fulfils(when, sent, variant));
  return (
    variant.answers.find((shape) => (shape.schema !== null || shape.events !== null) && applies(shape)) ??
    null
  );
}
