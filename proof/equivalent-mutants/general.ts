import { createRequire } from 'node:module';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Exchange, HeaderPairs } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { decodedContent, jsonContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { SseEvent } from '../../exchange/http/sse-reader.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { Call } from '../../judge/trace/call.ts';
import { arrayAt, isObject, textAt } from '../../judge/trace/json.ts';
import { isJsonObject } from '../../schemas/json.ts';
import {
  frameWithData,
  withBody,
  withEvents,
  withHeader,
  withJsonResponse,
  withResponse,
  withStatus,
} from '../mutations/exchanges.ts';
import { withRequestHeader } from '../mutations/requests.ts';
import { extraFields, inEachExchange, isJsonResponse, jsonChanges, nonAsciiLetters } from './json-changes.ts';

/** Equivalent mutants for every family: JSON, ids, streams and HTTP allow many representations of the same response. */
export function generalEquivalentMutants(betaHeader: string): readonly EquivalentMutant[] {
  return [
    ...jsonChanges,
    extraFields(betaHeader),
    nonAsciiLetters,
    ...otherIds,
    otherCaller(betaHeader),
    skippedStates,
    ...streamChanges,
    ...wireChanges,
  ];
}

const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

interface ErrorBody {
  readonly name: string;
  /** The body as JSON, or as other text with its media type. */
  readonly json?: Json;
  readonly text?: string;
  readonly type?: string;
  /** A public report that describes the form. */
  readonly filed?: string;
}

/** The specification does not define error bodies. */
const ERROR_BODIES = createRequire(import.meta.url)(
  '#proof/equivalent-mutants/error-bodies.json',
) as readonly ErrorBody[]; // as: proof/run.proof.test.ts applies each of them

/** Other header case, codings, statuses, error bodies and packets, which the specification leaves open. */
const wireChanges: readonly EquivalentMutant[] = [
  // RFC 9110, section 5.1: names of fields ignore case.
  inEachExchange('header names in capitals', (exchange) =>
    withHeaders(exchange, (headers) => headers.map(([name, value]) => [name.toUpperCase(), value])),
  ),
  inEachExchange('a charset, and capitals, in every media type', (exchange) =>
    withHeaders(exchange, (headers) =>
      headers.map(([name, value]) => [
        name,
        name.toLowerCase() === 'content-type' ? `${capitaliseMediaType(value)}; charset=UTF-8` : value,
      ]),
    ),
  ),
  inEachExchange('unknown headers', (exchange) => withHeader(exchange, 'x-unknown-header', 'yes')),
  // RFC 9110, section 8.4: the server chooses the content coding; the content stays the same.
  inEachExchange('bodies in gzip', (exchange) => withCoding(exchange, 'gzip', gzipSync)),
  inEachExchange('bodies in brotli', (exchange) =>
    withCoding(exchange, 'br', (content) => brotliCompressSync(content, FAST_BROTLI)),
  ),
  inEachExchange('bodies in deflate', (exchange) => withCoding(exchange, 'deflate', deflateSync)),
  inEachExchange('no length in the headers', (exchange) =>
    withHeader(withHeader(exchange, 'content-length', null), 'transfer-encoding', 'chunked'),
  ),
  // RFC 9112, section 4: clients ignore the reason phrase.
  inEachExchange('another reason phrase', (exchange) =>
    withResponse(exchange, (response) => ({ ...response, reason: 'As You Like It' })),
  ),
  inEachExchange('201 for creations', (exchange) =>
    exchange.request.method === 'POST' && exchange.response?.status === 200
      ? withStatus(exchange, 201)
      : exchange,
  ),
  // The specification states no status for an error, so statuses of the same class are equivalent.
  { ...withOtherStatus(400, 422), filed: 'raullenchai/Rapid-MLX#461' },
  withOtherStatus(400, 409),
  withOtherStatus(401, 403),
  withOtherStatus(404, 410),
  withOtherStatus(404, 400),
  ...ERROR_BODIES.map(withErrorBody),
  // The network decides where packets end.
  inEachExchange('everything in one packet', (exchange) =>
    withResponse(exchange, (response) => ({ ...response, pieces: [{ offset: 0, at: 0 }] })),
  ),
  inEachExchange('one byte at a time', (exchange) =>
    withResponse(exchange, (response) => ({
      ...response,
      pieces: Array.from({ length: Math.min(response.body.size, 10_000) }, (_, offset) => ({
        offset,
        at: offset,
      })),
    })),
  ),
  {
    name: 'everything concurrent, so that nothing precedes anything',
    apply: (items) => items.map((item) => (isNote(item) ? item : { ...item, after: 0 })),
    blinds: true,
  },
];

function withHeaders(exchange: Exchange, change: (headers: HeaderPairs) => HeaderPairs): Exchange {
  return withResponse(exchange, (response) => ({ ...response, headers: change(response.headers) }));
}

function capitaliseMediaType(value: string): string {
  const essence = (value.split(';', 1)[0] ?? '').trim();
  return essence.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

function withOtherStatus(status: number, other: number): EquivalentMutant {
  return inEachExchange(`${other} instead of ${status}`, (exchange) =>
    exchange.response?.status === status ? withStatus(exchange, other) : exchange,
  );
}

function withErrorBody({ name, json, text, type, filed }: ErrorBody): EquivalentMutant {
  const mutant = inEachExchange(name, (exchange) => {
    const status = exchange.response?.status ?? 0;
    if (status < 400 || status > 499) return exchange;
    const changed = withBody(exchange, text ?? JSON.stringify(json));
    return type === undefined ? changed : withHeader(changed, 'content-type', type);
  });
  return filed === undefined ? mutant : { ...mutant, filed };
}

function withCoding(exchange: Exchange, coding: string, encode: (bytes: Uint8Array) => Uint8Array): Exchange {
  const content = exchange.response === null ? null : decodedContent(exchange.response);
  if (content?.bytes == null || content.size === 0) return exchange;
  return withHeader(withBody(exchange, encode(content.bytes)), 'content-encoding', coding);
}

/** Other representations of the same events, and events that the specification does not mention. */
const streamChanges: readonly EquivalentMutant[] = [
  // The standard has three line endings; parsers that only split at LF fail on CR.
  withOtherEvents('CRLF in streams', (event) => fieldLines(event).join('\r\n'), '\r\n\r\n'),
  withOtherEvents('CR in streams', (event) => fieldLines(event).join('\r'), '\r\r'),
  {
    ...withOtherEvents('no space after the colon', (event) =>
      fieldLines(event)
        .map((line) => line.replace(': ', ':'))
        .join('\n'),
    ),
    filed: 'dataelement/Clawith#106',
  },
  // Lines that begin with a colon keep connections open and carry no data.
  {
    ...withOtherEvents(
      'comments between events',
      (event) => `: a comment\n\n: another\n${fieldLines(event).join('\n')}\n:`,
    ),
    filed: 'diegosouzapw/OmniRoute#7031',
  },
  withOtherEvents('empty lines between events', (event) => fieldLines(event).join('\n'), '\n\n\n\n'),
  // Fields take effect at the blank line, so their order is free, except in named events, where it is stated.
  withOtherChunks('the name after the data', (event) => fieldLines(event).toReversed().join('\n')),
  // The standard ignores unknown fields. The last line has no colon: a field with an empty value.
  withOtherChunks('unknown stream fields', (event) => `unknown: field\n${fieldLines(event).join('\n')}\nfor`),
  {
    ...withOtherChunks(
      'ids and retry times',
      (event) => `id: ${event.n}\nretry: 1000\n${fieldLines(event).join('\n')}`,
    ),
    filed: 'theopenco/llmgateway#2334',
  },
  // UTF-8 decoders drop a byte order mark at the beginning of a stream.
  inEachExchange('a byte order mark', (exchange) => {
    const stream = exchange.response === null ? null : eventsOf(exchange.response);
    const content = exchange.response === null ? null : decodedContent(exchange.response)?.text;
    return stream !== null && content ? withBody(exchange, `\uFEFF${content}`) : exchange;
  }),
  withOtherEvents('the name message instead of none', (event) =>
    [...(event.event === '' ? ['event: message'] : []), ...fieldLines(event)].join('\n'),
  ),
  // New kinds of events may be added at any time; a client skips names that it does not know.
  inEachExchange('unknown events', (exchange) =>
    withEvents(exchange, (frames) =>
      frames.flatMap((frame) => [frameWithData('keep.alive', '{"id":"ping"}'), frame]),
    ),
  ),
];

function fieldLines({ event, data }: Pick<SseEvent, 'event' | 'data'>): string[] {
  return [...(event === '' ? [] : [`event: ${event}`]), ...data.split('\n').map((line) => `data: ${line}`)];
}

/** Changes only streams whose events have no names. */
function withOtherChunks(name: string, write: (event: SseEvent) => string): EquivalentMutant {
  return withOtherEvents(name, write, '\n\n', ({ event }) => event === '');
}

function withOtherEvents(
  name: string,
  write: (event: SseEvent) => string,
  end = '\n\n',
  isConcerned: (event: SseEvent) => boolean = () => true,
): EquivalentMutant {
  return inEachExchange(name, (exchange) => {
    const stream = exchange.response === null ? null : eventsOf(exchange.response);
    if (stream === null || !stream.events.every(isConcerned)) return exchange;
    return withBody(exchange, stream.events.map((event) => write(event) + end).join(''));
  });
}

/** Replaces ids consistently in requests and responses, because the specification leaves their form open. */
const otherIds: readonly EquivalentMutant[] = [
  renameIds('ids of another form, consistently', replacementId, () => true),
  // The content of files has a stated length, so it is not changed.
  renameIds(
    'ids that are longer',
    (id) => `${replacementId(id)}-0000-4000-8000-${id.length}~.`,
    isJsonResponse,
  ),
];

function renameIds(
  name: string,
  replacementOf: (id: string) => string,
  isChanged: (exchange: Exchange) => boolean,
): EquivalentMutant {
  return {
    name,
    apply: (items) => {
      const replacements = new Map<string, string>();
      // Learns all ids first, because a request may contain an id before the response that introduces it has ended.
      for (const item of items) if (!isNote(item)) learnIds(item, replacements, replacementOf);
      return items.map((item) =>
        isNote(item) ? item : renameInExchange(item, replacements, isChanged(item) ? 'both' : 'request'),
      );
    },
  };
}

function learnIds(
  { response }: Exchange,
  replacements: Map<string, string>,
  replacementOf: (id: string) => string,
): void {
  if (response === null || response.status >= 300) return;
  const values = eventsOf(response)?.events.map(({ json }) => json?.value) ?? [jsonContent(response)];
  for (const value of values) for (const id of idsIn(value)) replacements.set(id, replacementOf(id));
}

function idsIn(value: Json | undefined): readonly string[] {
  if (!isJsonObject(value)) return [];
  // Model ids are names that users choose in requests and configurations.
  const own = textAt(value, 'object') === 'model' ? undefined : textAt(value, 'id');
  return [...(own === undefined || own.length < 8 ? [] : [own]), ...arrayAt(value, 'data').flatMap(idsIn)];
}

function replacementId(id: string): string {
  return id.replaceAll(/[A-Za-z0-9]/g, (character) => {
    if (character === 'z') return 'a';
    if (character === 'Z') return 'A';
    return character === '9' ? '0' : String.fromCharCode(character.charCodeAt(0) + 1);
  });
}

function renameInExchange(
  exchange: Exchange,
  replacements: ReadonlyMap<string, string>,
  sides: 'both' | 'request',
): Exchange {
  const rename = (content: string): string =>
    content.replaceAll(/[A-Za-z0-9_-]{8,}/g, (word) => replacements.get(word) ?? word);
  const { request, response } = exchange;
  // Bodies that are not UTF-8, such as uploads, contain no ids.
  const { text } = request.body;
  const renamedRequest = {
    ...request,
    target: rename(request.target),
    body: text === null ? request.body : Body.from(rename(text)),
  };
  const content = response === null ? null : (decodedContent(response)?.text ?? null);
  const changed = { ...exchange, request: renamedRequest };
  return content === null || content === '' || sides === 'request'
    ? changed
    : withBody(changed, rename(content));
}

/** Repeats each read with the key of another caller, for whom no objects exist (1 Authentication). */
function otherCaller(betaHeader: string): EquivalentMutant {
  return {
    name: 'another caller who is shown nothing',
    apply: (items) => items.flatMap((item) => [item, ...readsOfOtherCaller(item, betaHeader)]),
  };
}

function readsOfOtherCaller(item: TraceItem, betaHeader: string): readonly Exchange[] {
  if (isNote(item) || item.request.method !== 'GET' || item.probe !== null) return [];
  const call = Call.from(item, betaHeader);
  if (call?.responseJson === undefined) return [];
  const read = withRequestHeader(item, 'authorization', 'Bearer sk-another-caller');
  // Fractions keep the ordinals of the other exchanges as they are.
  const between = { id: `${item.id}.5`, after: item.ended, ended: item.ended + 0.5, scenario: null };
  const isOfOrganization =
    isObject(call.responseJson) &&
    Array.isArray(call.responseJson['data']) &&
    !call.operation.path.includes('{');
  const answered = isOfOrganization
    ? withJsonResponse(read, 200, emptyList(call))
    : withJsonResponse(read, 404, { error: { message: 'not found' } });
  return [{ ...answered, ...between }];
}

function emptyList({ responseJson: answer }: Call) {
  if (!isObject(answer)) return {};
  const cursors = 'first_id' in answer ? { first_id: null, last_id: null } : {};
  const end = 'has_more' in answer ? { has_more: false } : {};
  return { ...answer, ...cursors, ...end, data: [] };
}

/** States that an object leaves by itself, so that a client that polls rarely may miss them. */
const INTERMEDIATE_STATES: ReadonlySet<string | undefined> = new Set([
  'in_progress',
  'validating_files',
  'running',
  'finalizing',
  'cancelling',
]);

/** Drops requests that show an intermediate state, as if the client polled rarely. */
const skippedStates: EquivalentMutant = {
  name: 'intermediate states not observed',
  // Gaps in the ordinals are harmless: the order stays correct.
  apply: (items) =>
    items.filter(
      (item) =>
        isNote(item) ||
        item.request.method !== 'GET' ||
        !INTERMEDIATE_STATES.has(textAt(jsonContent(item.response), 'status')),
    ),
  blinds: true,
};
