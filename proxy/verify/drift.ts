import type { HttpRequest, HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { eventsOf, type SseEvent } from '../../exchange/http/event-stream.ts';
import { allHeaders } from '../../exchange/http/headers.ts';
import type { ResponseShape } from '../../schemas/contract.ts';
import { fulfils, matchOperation, schemaValidator } from '../../schemas/index.ts';

import { streamDrift } from './stream-drift.ts';
import { type Drift, type DriftOptions, type IdMap, valueDrift } from './value-drift.ts';

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
  { uploads, ...options }: DriftOptions & { readonly uploads: readonly Uint8Array[] },
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
    return mergePlaces([...schema, ...streamDrift(streams[0], streams[1], options)]).slice(0, MOST);
  }
  if (isUploaded(request, recorded, uploads)) return bytesDrift(recorded, now, options.ids);
  const values = [decodedContent(recorded)?.json ?? null, decodedContent(now)?.json ?? null] as const;
  if (values[0] === null || values[1] === null) return bytesDrift(recorded, now, options.ids);
  const [before, after] = [bodyValue(values[0].value), bodyValue(values[1].value)];
  const schema = isSuccess ? schemaDrift(request, [before], [after]) : [];
  return mergePlaces([...schema, ...valueDrift(before.value, after.value, options)]).slice(0, MOST);
}

/** One drift for each place: where a difference breaks the schema, what it says is said with the difference. */
function mergePlaces(drifts: readonly Drift[]): Drift[] {
  const places = new Map<string, Drift>();
  for (const drift of drifts) {
    const other = places.get(drift.at);
    places.set(drift.at, other?.kind === 'schema' ? merged(other, drift) : drift);
  }
  return [...places.values()];
}

function merged(schema: Drift, { kind, recorded, now }: Drift): Drift {
  const inWords = (value: Json | undefined) =>
    kind === 'value' ? JSON.stringify(value) : kind === 'length' ? `${value} elements` : String(value);
  return { ...schema, recorded: inWords(recorded), now: `${inWords(now)}: ${schema.now}` };
}

/** Whether a response is a file that the client uploaded before: it comes back byte for byte, whatever it holds. */
function isUploaded(
  { method, target }: HttpRequest,
  { body }: HttpResponse,
  uploads: readonly Uint8Array[],
): boolean {
  const match = matchOperation(method, target.split('?')[0] ?? '');
  const { bytes } = body;
  if (match?.operation.id !== 'retrieveFileContent' || bytes === null) return false;
  return uploads.some((upload) => bufferOf(upload).includes(bufferOf(bytes)));
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
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

/** Bodies that are not JSON are compared byte for byte, but for identifiers that were assigned anew. */
function bytesDrift(recorded: HttpResponse, now: HttpResponse, ids: IdMap): Drift[] {
  const [before, after] = [recorded.body, now.body];
  if (before.sha256 === after.sha256) return [];
  if (before.bytes !== null && after.bytes !== null) {
    // Identifiers are ASCII: bytes that are not text stay as they are.
    const expected = ids.apply(bufferOf(before.bytes).toString('latin1'));
    if (expected === bufferOf(after.bytes).toString('latin1')) return [];
  }
  const others = before.size === after.size ? 'other ' : '';
  return [
    { kind: 'value', at: 'body', recorded: `${before.size} bytes`, now: `${others}${after.size} bytes` },
  ];
}

/** A JSON value of a response: the body, or the data of an event (`event`: its number, from 1). */
export interface ResponseValue {
  readonly value: Json;
  /** Name of its event; null for a whole body. */
  readonly name: string | null;
  readonly event: number;
}

/** Schema violations of the current values that the recorded ones do not have; each place is reported once. */
export function schemaDrift(
  request: HttpRequest,
  recorded: readonly ResponseValue[],
  now: readonly ResponseValue[],
): Drift[] {
  const shape = dueShape(request);
  if (shape === null) return [];
  const known = new Set(recorded.flatMap((one) => violations(shape, one).map(({ key }) => key)));
  const found: Drift[] = [];
  for (const one of now) {
    for (const { key, pointer, keyword, message } of violations(shape, one)) {
      if (known.has(key)) continue;
      known.add(key);
      const at = one.name === null ? pointer : `event ${one.event} ${pointer}`;
      found.push({ kind: 'schema', at, recorded: `valid (${keyword})`, now: message });
    }
  }
  return found;
}

function violations(shape: ResponseShape, { value, name }: ResponseValue) {
  const schema = name === null ? shape.schema : (shape.events?.[name] ?? null);
  if (schema === null) return [];
  return schemaValidator(schema)(value).map(({ pointer, keyword, message }) => ({
    key: `${name ?? ''} ${pointer} ${keyword}`,
    ...{ pointer, keyword, message },
  }));
}

/** What the specification states for the successful response to a request; null where it states nothing. */
function dueShape({ method, target, headers, body }: HttpRequest): ResponseShape | null {
  const match = matchOperation(method, target.split('?')[0] ?? '');
  if (match === null) return null;
  const beta = [...allHeaders(headers, 'openai-beta'), ...allHeaders(headers, 'vendor-beta')].join(',');
  const variants = match.operation.variants;
  const variant = variants.find((one) => one.beta !== null && beta.includes(one.beta)) ?? variants[0];
  if (variant === undefined) return null;
  const sent = body.json?.value;
  const due = variant.answers.find(
    ({ schema, events, when }) =>
      (schema !== null || events !== null) &&
      // Forms are not read here, so their conditions are not known to hold.
      (when === null || (sent !== undefined && fulfils(when, sent, variant))),
  );
  return due ?? null;
}
