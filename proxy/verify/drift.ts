import type { HttpRequest, HttpResponse } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import { decodedContent, mediaTypeOf } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import { allHeaders } from '../../exchange/http/headers.ts';
import { matchOperation, schemaValidator } from '../../schemas/index.ts';
import { isJsonBranch } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import type { IdMap } from './id-map.ts';

/** One place where the response of the service differs from the recorded one. */
export interface Drift {
  readonly kind: 'status' | 'content-type' | 'schema' | 'length' | 'stream-order' | 'value';
  /** JSON pointer into the body, or a description such as `header content-type`. */
  readonly at: string;
  /** Descriptions for `schema`, numbers of elements for `length`, values otherwise. */
  readonly recorded: Json | undefined;
  readonly now: Json | undefined;
}

/** Differences that do not count. */
export interface DriftOptions {
  /** JSON pointers (`*` for any member) whose values may differ. */
  readonly ignore: readonly (readonly string[])[];
  /** Identifiers that were assigned anew. */
  readonly ids: IdMap;
}

/** Names of members that differ from call to call: times, fingerprints, and texts of a model. */
const FREE =
  /^(?:created|expires|.*_at|system_fingerprint|content|value|text|arguments|refusal|logprobs?|top_logprobs|bytes|tokens?|.*_tokens|usage|usage_bytes|url|b64_json|revised_prompt|.*_scores|processing_ms|request_id|first_id|last_id)$/;
/** Largest number of drifts that are reported for an exchange. */
const MOST = 50;

/**
 * Compares two responses to one request. A different status or content type ends the comparison; then stream order, or schema
 * and values. At most 50 drifts.
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
  const streams = [eventsOf(recorded), eventsOf(now)] as const;
  if (streams[0] !== null && streams[1] !== null) return streamDrift(eventKinds(recorded), eventKinds(now));
  const values = [decodedContent(recorded)?.json ?? null, decodedContent(now)?.json ?? null] as const;
  if (values[0] === null || values[1] === null) return bytesDrift(recorded, now);
  const found = schemaDrift(request, values[0].value, values[1].value, now.status);
  const counted = isChat(request) ? '/choices' : null;
  const root = { pointer: '', path: [] };
  compareValues(root, values[0].value, values[1].value, { ...options, counted, found });
  return found.slice(0, MOST);
}

/** Schema violations of the current response that the recorded one does not have. */
function schemaDrift(request: HttpRequest, recorded: Json, now: Json, status: number): Drift[] {
  const name = status < 300 ? schemaOf(request) : null;
  if (name === null) return [];
  const check = schemaValidator(name);
  const before = new Set(check(recorded).map(({ pointer, keyword }) => `${pointer} ${keyword}`));
  return check(now)
    .filter(({ pointer, keyword }) => !before.has(`${pointer} ${keyword}`))
    .map(({ pointer, keyword, message }) => ({
      kind: 'schema',
      at: pointer,
      recorded: `valid (${keyword})`,
      now: message,
    }));
}

/** Name of the schema that the specification states for the response to a request; null for none. */
function schemaOf({ method, target, headers, body }: HttpRequest): string | null {
  const match = matchOperation(method, target.split('?')[0] ?? '');
  if (match === null) return null;
  const beta = [...allHeaders(headers, 'openai-beta'), ...allHeaders(headers, 'vendor-beta')].join(',');
  const variants = match.operation.variants;
  const variant = variants.find((one) => one.beta !== null && beta.includes(one.beta)) ?? variants[0];
  const sent = body.json?.value;
  const fields =
    typeof sent === 'object' && sent !== null ? new Map(Object.entries(sent)) : new Map<string, Json>();
  const due = variant?.answers.find(
    ({ schema, when }) =>
      schema !== null &&
      (when === null || Object.entries(when).every(([field, values]) => values.includes(fields.get(field)))),
  );
  return due?.schema ?? null;
}

/** The kinds of events of a stream in order; repeats count once, because the number of deltas is up to the model. */
function eventKinds(response: HttpResponse): string[] {
  const kinds = (eventsOf(response)?.events ?? []).map(({ event, data, json }) => {
    const value = json?.value;
    const object = typeof value === 'object' && value !== null && 'object' in value ? value['object'] : null;
    return [event, typeof object === 'string' ? object : json === null ? data : typeof value]
      .filter((part) => part !== '')
      .join(' ');
  });
  return kinds.filter((kind, i) => kind !== kinds[i - 1]);
}

/** The first step at which two streams differ in the kind of their events. */
function streamDrift(recorded: readonly string[], now: readonly string[]): Drift[] {
  const at = recorded.findIndex((kind, i) => kind !== now[i]);
  const n = at === -1 && now.length > recorded.length ? recorded.length : at;
  if (n === -1) return [];
  return [{ kind: 'stream-order', at: `step ${n + 1} of the stream`, recorded: recorded[n], now: now[n] }];
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

/** Whether a value may differ: by its name, or because it is to be ignored. */
function isFree(path: readonly string[], { ignore }: DriftOptions): boolean {
  const name = path.findLast((token) => !/^\d+$/.test(token)) ?? '';
  if (FREE.test(name)) return true;
  return ignore.some(
    (pointer) =>
      pointer.length === path.length && pointer.every((token, i) => token === '*' || token === path[i]),
  );
}

/** The JSON type as messages name it. */
function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
