// Other representations of the same JSON (RFC 8259), and values without meaning for a requirement, such as a
// fingerprint.

import type { Exchange } from '../../../exchange/exchange.ts';
import type { Json } from '../../../exchange/http/body.ts';
import { isEventStream } from '../../../exchange/http/event-stream.ts';
import { isJsonObject } from '../../../schemas/json.ts';
import { type EquivalentMutant, inEachExchange } from './equivalent-mutant.ts';
import { reserializeRequest, reserializeResponse } from './reserialize.ts';

/** Mutants of the JSON text, and of times and fingerprints. */
export const jsonChanges: readonly EquivalentMutant[] = [
  // RFC 8259, section 4: an object is an unordered collection.
  inEachExchange('keys in reverse', (exchange) => {
    const write = (value: Json): string =>
      JSON.stringify(mapObjects(value, (entries) => entries.toReversed()));
    return reserializeResponse(reserializeRequest(exchange, write), write);
  }),
  // Section 6: 1.0 and 1e0 are the number 1, so an integer may be written in either way.
  inEachExchange('numbers with a fraction or an exponent', (exchange) =>
    reserializeResponse(exchange, (value) => spell(value, number)),
  ),
  inEachExchange('white space between all tokens', (exchange) =>
    // Within a stream, data are on one line.
    reserializeResponse(exchange, (value) =>
      isStreamed(exchange)
        ? JSON.stringify(value, null, 3).replaceAll('\n', ' ')
        : JSON.stringify(value, null, 3),
    ),
  ),
  // Section 7: any character may be escaped.
  inEachExchange('every character escaped', (exchange) =>
    reserializeResponse(exchange, (value) => spell(value, String, escaped)),
  ),
  // Equal times show no order, so requirements on order lose their evidence.
  {
    ...inEachExchange('equal timestamps', (exchange) =>
      reserializeResponse(exchange, (value) => JSON.stringify(atOnce(value))),
    ),
    blinds: true,
  },
  // The clocks of target and client differ; only times of the same clock may be compared.
  inEachExchange('a clock that is an hour ahead', (exchange) =>
    reserializeResponse(exchange, (value) => JSON.stringify(shifted(value, 3600))),
  ),
  // A fingerprint may change with each deployment, also between two requests.
  inEachExchange('another fingerprint in every answer', (exchange) =>
    reserializeResponse(exchange, (value) =>
      JSON.stringify(
        mapObjects(value, (entries) =>
          entries.map(([key, inner]) => [key, key === 'system_fingerprint' ? `fp_${exchange.id}` : inner]),
        ),
      ),
    ),
  ),
];

/** True if the response is an event stream. */
function isStreamed({ response }: Exchange): boolean {
  return response !== null && isEventStream(response);
}

/** The properties of an object in order. */
type Entries = readonly (readonly [string, Json])[];

/** The value with the entries of every object replaced. */
function mapObjects(value: Json, change: (entries: Entries) => Entries): Json {
  if (Array.isArray(value)) return value.map((item: Json) => mapObjects(item, change));
  if (!isJsonObject(value)) return value;
  const inner = Object.entries(value).map(([key, item]) => [key, mapObjects(item, change)] as const);
  return Object.fromEntries(change(inner));
}

/** JSON text with numbers and strings written by the given functions. */
function spell(
  value: Json,
  digits: (n: number) => string,
  letters: (text: string) => string = JSON.stringify,
): string {
  if (typeof value === 'number') return digits(value);
  if (typeof value === 'string') return letters(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => spell(item, digits, letters)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${letters(key)}:${spell(item, digits, letters)}`,
  );
  return `{${entries.join(',')}}`;
}

/** A number with a fraction or an exponent; the value stays equal. */
function number(n: number): string {
  return Number.isSafeInteger(n) ? `${n}.0` : n.toExponential();
}

/** A string with every UTF-16 unit as `\uXXXX`. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

/** All times made equal; the value is a fixed time in seconds. */
function atOnce(value: Json): Json {
  return withTimes(value, () => 1_700_000_000);
}

/** All times moved by seconds. */
function shifted(value: Json, by: number): Json {
  return withTimes(value, (time) => time + by);
}

/** Applies a change to every time field, in seconds since 1970. */
function withTimes(value: Json, change: (time: number) => number): Json {
  return mapObjects(value, (entries) =>
    entries.map(([key, inner]) => {
      const isTime = key === 'created' || key === 'estimated_finish' || key.endsWith('_at');
      return [key, isTime && typeof inner === 'number' ? change(inner) : inner];
    }),
  );
}
