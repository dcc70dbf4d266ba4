import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { isNote } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { responseTrees } from '../../judge/schema/response-schemas.ts';
import { eventSchemaOf, expectedShape } from '../../judge/schema/response-shape.ts';
import { walkTree } from '../../judge/schema/walk.ts';
import { Call } from '../../judge/trace/call.ts';
import { jsonKindOf } from '../../judge/trace/json.ts';
import { isJsonObject } from '../../schemas/json.ts';
import {
  editFrame,
  frameData,
  frameWithData,
  withBody,
  withEvents,
  withResponseJson,
} from '../mutations/exchanges.ts';
import { withRequestBody } from '../mutations/requests.ts';
import { setValue } from '../mutations/values.ts';

/**
 * Letters with more than one UTF-16 unit or byte, which reveal requirements that count these instead of code points.
 * The replaced letters do not occur in JSON literals or escapes.
 */
const LARGE_LETTERS: Readonly<Record<string, string>> = {
  o: '🙂',
  m: '漢',
  g: '𝕘',
  h: 'ħ',
  O: '𐍈',
  M: 'М',
  T: '🌍',
};

const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'additional_instructions',
  'arguments',
  'content',
  'description',
  'input',
  'instructions',
  'name',
  'output',
  'prompt',
  'refusal',
  'revised_prompt',
  'stop',
  'text',
  'user',
  'value',
  'word',
]);

/** Nested, to show whether nested unknown values are ignored too. */
const UNKNOWN_VALUE: Json = { unexpected: ['value', 1, null] };

export const jsonChanges: readonly EquivalentMutant[] = [
  // RFC 8259, section 1: an object is an unordered collection.
  inEachExchange('keys in reverse', (exchange) => {
    const write = (value: Json): string =>
      JSON.stringify(mapObjects(value, (entries) => entries.toReversed()));
    return reserializeResponse(reserializeRequest(exchange, write), write);
  }),
  // RFC 8259, section 6: a number may have a fraction or an exponent, so 1.0 is the number 1, and 5e-1 is 0.5.
  reserializeAll('numbers with a fraction or an exponent', (value) => spell(value, spellNumber)),
  // Many clients parse each data line of a stream by itself, so the JSON of an event stays on one line.
  reserializeAll('white space between tokens', (value, exchange) => {
    const text = JSON.stringify(value, null, 3);
    const isStreamed = exchange.response !== null && isEventStream(exchange.response);
    return isStreamed ? text.replaceAll('\n', ' ') : text;
  }),
  // RFC 8259, section 7: any character may be escaped.
  reserializeAll('every character escaped', (value) => spell(value, String, escapeCharacters)),
  // Equal times show no order, so requirements on order lose their evidence.
  {
    ...reserializeAll('equal timestamps', (value) => JSON.stringify(withTimes(value, () => 1_700_000_000))),
    blinds: true,
  },
  // The clocks of target and client may differ; only times of the same clock can be compared.
  reserializeAll('a clock that is an hour ahead', (value) =>
    JSON.stringify(withTimes(value, (time) => time + 3600)),
  ),
  // A fingerprint may change with each deployment, even between two requests.
  reserializeAll('another fingerprint in every answer', (value, { id }) =>
    JSON.stringify(
      mapObjects(value, (entries) =>
        entries.map(([key, inner]) => [key, key === 'system_fingerprint' ? `fp_${id}` : inner]),
      ),
    ),
  ),
];

function reserializeAll(name: string, write: (value: Json, exchange: Exchange) => string): EquivalentMutant {
  return inEachExchange(name, (exchange) => reserializeResponse(exchange, (value) => write(value, exchange)));
}

type Entries = readonly (readonly [string, Json])[];

function mapObjects(value: Json, change: (entries: Entries) => Entries): Json {
  if (Array.isArray(value)) return value.map((item: Json) => mapObjects(item, change));
  if (!isJsonObject(value)) return value;
  const inner = Object.entries(value).map(([key, item]) => [key, mapObjects(item, change)] as const);
  return Object.fromEntries(change(inner));
}

function spell(
  value: Json,
  writeNumber: (n: number) => string,
  writeText: (text: string) => string = JSON.stringify,
): string {
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value === 'string') return writeText(value);
  const spellInner = (inner: Json) => spell(inner, writeNumber, writeText);
  if (Array.isArray(value)) return `[${value.map(spellInner).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${writeText(key)}:${spellInner(inner)}`);
  return `{${entries.join(',')}}`;
}

function spellNumber(n: number): string {
  return Number.isSafeInteger(n) ? `${n}.0` : n.toExponential();
}

function escapeCharacters(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

function withTimes(value: Json, change: (time: number) => number): Json {
  return mapObjects(value, (entries) =>
    entries.map(([key, inner]) => {
      const isTime = key === 'created' || key === 'estimated_finish' || key.endsWith('_at');
      return [key, isTime && typeof inner === 'number' ? change(inner) : inner];
    }),
  );
}

export const nonAsciiLetters: EquivalentMutant = inEachExchange(
  'letters beyond ASCII in all texts',
  (exchange) => {
    // Log probabilities and transcripts depend on the exact text, so these exchanges stay unchanged.
    if (asksForLogprobs(exchange) || exchange.request.target.startsWith('/v1/audio/tr')) return exchange;
    const write = (value: Json): string => JSON.stringify(enlargeTexts(value));
    const changed = reserializeRequest(exchange, write);
    return hasEditableBody(exchange) ? reserializeResponse(changed, write) : changed;
  },
);

function asksForLogprobs({ request }: Exchange): boolean {
  const sent = request.body.json?.value;
  return isJsonObject(sent) && (sent['logprobs'] ?? false) !== false;
}

function enlargeTexts(value: Json): Json {
  if (Array.isArray(value)) return value.map(enlargeTexts);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, enlargeField(key, inner)]));
}

function enlargeField(key: string, value: Json): Json {
  if (key === 'metadata' && isJsonObject(value)) {
    const pairs = Object.entries(value).map(([name, one]) => [
      enlargeText(name),
      typeof one === 'string' ? enlargeText(one) : one,
    ]);
    return Object.fromEntries(pairs);
  }
  if (key === 'function' && isJsonObject(value)) {
    const { name } = value;
    return { ...Object(enlargeTexts(value)), ...(name !== undefined && { name }) };
  }
  if (!TEXT_FIELDS.has(key)) return enlargeTexts(value);
  if (typeof value === 'string') return enlargeText(value);
  if (!Array.isArray(value)) return enlargeTexts(value);
  return value.map((one: Json) => (typeof one === 'string' ? enlargeText(one) : enlargeTexts(one)));
}

function enlargeText(text: string): string {
  return text.replaceAll(/[omghOMT]/g, (letter) => LARGE_LETTERS[letter] ?? letter);
}

function reserializeResponse(exchange: Exchange, write: (value: Json) => string): Exchange {
  const streamed = withEvents(exchange, (frames) =>
    frames.map((frame) => {
      const value = frameData(frame);
      return value === undefined ? frame : frameWithData(frame.event, write(value));
    }),
  );
  // `withEvents` returns the same object for a response that is not a stream.
  if (streamed !== exchange || exchange.response === null) return streamed;
  const json = hasEditableBody(exchange) ? decodedContent(exchange.response)?.json : null;
  return json ? withBody(exchange, write(json.value)) : exchange;
}

export function reserializeRequest(exchange: Exchange, write: (value: Json) => string): Exchange {
  const { json } = exchange.request.body;
  return json === null ? exchange : withRequestBody(exchange, write(json.value));
}

/** False for the content of files, which must stay unchanged even if it happens to be JSON. */
export function hasEditableBody({ request }: Exchange): boolean {
  return !/^\/v1\/files\/[^/]+\/content/.test(request.target);
}

/** Adds an unknown field to every object that a response schema describes, but not to maps, whose keys are data. */
export function extraFields(betaHeader: string): EquivalentMutant {
  return inEachExchange('an unknown field in every object', (exchange) =>
    changeBySchema(exchange, betaHeader, addUnknownFields),
  );
}

function addUnknownFields(schema: string, value: Json): Json {
  const places = new Set<string>();
  const maps = new Set<string>();
  walkTree(responseTrees(), schema, value, {
    visit: (node, here, at) => {
      if (jsonKindOf(here) !== 'object') return;
      if (node.values !== null || node.keys !== null) maps.add(at);
      else if (node.members.length > 0) places.add(at);
    },
    breach: () => {},
  });
  let changed = value;
  // Branches of a union may share a place; if one of them is a map, a new key would be data.
  for (const at of places)
    if (!maps.has(at)) changed = setValue(`${at}/x_unknown_field`, UNKNOWN_VALUE)(changed);
  return changed;
}

/** Leaves errors, and responses whose schema the request does not determine, unchanged. */
function changeBySchema(
  exchange: Exchange,
  betaHeader: string,
  change: (schema: string, value: Json) => Json,
): Exchange {
  const call = Call.from(exchange, betaHeader);
  const shape = call?.responseClass === 'accepted' ? expectedShape(call) : null;
  if (shape === null || exchange.response === null) return exchange;
  const { schema, events: known } = shape;
  if (schema !== null && decodedContent(exchange.response)?.json)
    return withResponseJson(exchange, (value) => change(schema, value));
  const events = eventsOf(exchange.response)?.events;
  if (known === null || events === undefined) return exchange;
  return withEvents(exchange, (frames) =>
    frames.map((frame, i) => {
      const event = events[i];
      const name = event === undefined ? null : eventSchemaOf(event, known);
      return name === null ? frame : editFrame(frame, (value) => change(name, value));
    }),
  );
}

/** An equivalent mutant that passes every exchange of a trace through `change`. */
export function inEachExchange(name: string, change: (exchange: Exchange) => Exchange): EquivalentMutant {
  return { name, apply: (items) => items.map((item) => (isNote(item) ? item : change(item))) };
}
