import type { Json } from '../../exchange/http/body.ts';
import { isJsonObject, type JsonObject } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import type { IdMap } from './id-map.ts';
import { fieldsOf, pairElements } from './pair-elements.ts';

/** One place where the response of the service differs from the recorded one. */
export interface Drift {
  /** `stream-value`: the values of a place from event to event, as descriptions such as `null, then "stop"`. */
  readonly kind: 'status' | 'content-type' | 'schema' | 'length' | 'stream-order' | 'stream-value' | 'value';
  /** JSON pointer into the body or event, or a description such as `header content-type`. */
  readonly at: string;
  /** A value or its description; for `length`, the number of elements. Undefined for an event that is missing. */
  readonly recorded: Json | undefined;
  /** Like `recorded`, but from the live service. */
  readonly now: Json | undefined;
}

export interface DriftOptions {
  /** JSON pointers (`*` for any member) whose values may differ. */
  readonly ignore: readonly (readonly string[])[];
  /** The identifiers learned so far; `findStreamDrifts` adds those of its streams. */
  readonly ids: IdMap;
  /** Whether the request contained a text, which the response then did not assign. */
  readonly isSent: (text: string) => boolean;
}

interface BodyPlace {
  readonly pointer: string;
  readonly path: readonly string[];
  /** Whether the client wrote the value, which is then compared even under a name whose value may otherwise differ. */
  readonly isFromClient: boolean;
}

/** Members that a model writes or computes, or that count its tokens. */
const MODEL_MEMBER =
  /^(?:content|.*_content|value|text|arguments|refusal|obfuscation|revised_prompt|b64_json|logprobs?|top_logprobs|tokens?|.*_tokens|usage|score|.*_scores|.*_loss|.*_accuracy|segments|words)$/;

/** Members that the service sets anew in each run: times, URLs, fingerprints, request ids, seeds, index sizes. */
const RUN_MEMBER =
  /^(?:created|expires|.*_at|estimated_finish|processing_ms|system_fingerprint|request_id|url|usage_bytes|seed)$/;

/** Settings whose names end like a count of used tokens. */
const TOKEN_SETTING = /^(?:max_.*|chunk_overlap)_tokens$/;
/** Members whose content comes from the client, regardless of the names in it. */
const CLIENT_MEMBER = /^(?:metadata|attributes|parameters|json_schema)$/;
/** Progress of the files or requests of a job, which may differ; totals and failures may not. */
const PROGRESS_COUNT = /^(?:in_progress|completed)$/;
/** Lists that a model fills, or that grow while a job runs. */
const OPEN_LIST = /^(?:tool_calls|annotations|outputs|events)$/;
/** Objects that a model or a job adds to a list. */
const OPEN_OBJECT = /^(?:thread\.run\.step|fine_tuning\.job\.(?:event|checkpoint))$/;
/** Pointers to embeddings. One in base64 holds floats of four bytes. */
const EMBEDDING = /^\/data\/\d+\/embedding$/;
const SERVICE_FILE_PURPOSE = /^(?:assistants_output|batch_output|fine-tune-results)$/;

export function findValueDrifts(recorded: Json, now: Json, options: DriftOptions): readonly Drift[] {
  return compareValues({ pointer: '', path: [], isFromClient: false }, recorded, now, options);
}

function compareValues(
  place: BodyPlace,
  recorded: Json | undefined,
  now: Json | undefined,
  options: DriftOptions,
): readonly Drift[] {
  const { pointer: at, path, isFromClient } = place;
  if (isFromClient ? isIgnored(path, options.ignore) : mayDiffer(path, options)) return [];
  const kinds = [kindOf(recorded), kindOf(now)];
  if (kinds[0] !== kinds[1]) return [{ kind: 'schema', at, recorded: kinds[0], now: kinds[1] }];
  if (Array.isArray(recorded) && Array.isArray(now)) return compareLists(place, recorded, now, options);
  if (isJsonObject(recorded) && isJsonObject(now)) return compareMembers(place, recorded, now, options);
  if (EMBEDDING.test(at) && typeof recorded === 'string' && typeof now === 'string') {
    const [before, after] = [floatCount(recorded), floatCount(now)];
    return before === after ? [] : [{ kind: 'length', at, recorded: before, now: after }];
  }
  const expected = typeof recorded === 'string' ? options.ids.apply(recorded) : recorded;
  return recorded === now || expected === now ? [] : [{ kind: 'value', at, recorded, now }];
}

function floatCount(base64: string): number {
  return Buffer.byteLength(base64, 'base64') / 4;
}

function compareLists(
  place: BodyPlace,
  recorded: readonly Json[],
  now: readonly Json[],
  options: DriftOptions,
): readonly Drift[] {
  const [before, after] = [recorded.length, now.length];
  // An open list may have any length, as long as it does not become empty.
  const mayHaveAnyLength = (after > 0 || before === 0) && isOpenList(place.path, [...recorded, ...now]);
  const lengthDrifts: readonly Drift[] =
    before !== after && !mayHaveAnyLength
      ? [{ kind: 'length', at: place.pointer, recorded: before, now: after }]
      : [];
  const elementDrifts = pairElements(recorded, now, (id) => options.ids.apply(id)).flatMap(([i, k]) =>
    compareValues(memberPlace(place, String(i)), recorded[i], now[k], options),
  );
  return [...lengthDrifts, ...elementDrifts];
}

function compareMembers(
  place: BodyPlace,
  recorded: JsonObject,
  now: JsonObject,
  options: DriftOptions,
): readonly Drift[] {
  const [before, after] = [new Map<string, Json>(Object.entries(recorded)), new Map(Object.entries(now))];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    if (isServiceFileSize(before, name) || (isEdgeId(recorded, name) && isEdgeId(now, name))) return [];
    const inner = memberPlace(place, name);
    // The content of a user's message comes from the client, although its name does not show that.
    const isFromClient = inner.isFromClient || (name === 'content' && before.get('role') === 'user');
    return compareValues({ ...inner, isFromClient }, before.get(name), after.get(name), options);
  });
}

/** Whether a member repeats the first or last id of the list next to it, or is null or absent next to an empty one. */
function isEdgeId(owner: JsonObject, name: string): boolean {
  const data = owner['data'];
  if (!Array.isArray(data) || (name !== 'first_id' && name !== 'last_id')) return false;
  const element: Json | undefined = name === 'first_id' ? data[0] : data.at(-1);
  return element === undefined ? owner[name] == null : fieldsOf(element)['id'] === owner[name];
}

function memberPlace({ pointer, path, isFromClient }: BodyPlace, name: string): BodyPlace {
  return { pointer: `${pointer}/${pointerToken(name)}`, path: [...path, name], isFromClient };
}

export function mayDiffer(path: readonly string[], { ignore }: Pick<DriftOptions, 'ignore'>): boolean {
  if (isIgnored(path, ignore)) return true;
  const names = path.filter((token) => !/^\d+$/.test(token));
  const name = names.at(-1) ?? '';
  if (names.slice(0, -1).some((token) => CLIENT_MEMBER.test(token))) return false;
  if (PROGRESS_COUNT.test(name) && names.at(-2)?.endsWith('_counts') === true) return true;
  // The numbers of an embedding may differ, usually in their last digits; their count may not.
  if (name === 'embedding') return path.at(-1) !== 'embedding';
  return !TOKEN_SETTING.test(name) && (MODEL_MEMBER.test(name) || RUN_MEMBER.test(name));
}

function isIgnored(path: readonly string[], ignore: DriftOptions['ignore']): boolean {
  return ignore.some(
    (pointer) =>
      pointer.length === path.length && pointer.every((token, i) => token === '*' || token === path[i]),
  );
}

function isServiceFileSize(owner: ReadonlyMap<string, Json>, name: string): boolean {
  const purpose = owner.get('purpose');
  return name === 'bytes' && typeof purpose === 'string' && SERVICE_FILE_PURPOSE.test(purpose);
}

function isOpenList(path: readonly string[], elements: readonly Json[]): boolean {
  if (OPEN_LIST.test(path.at(-1) ?? '')) return true;
  return elements.some((element) => {
    const { object, role } = fieldsOf(element);
    return (typeof object === 'string' && OPEN_OBJECT.test(object)) || role === 'assistant';
  });
}

export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
