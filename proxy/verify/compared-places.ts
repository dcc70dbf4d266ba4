import type { Json } from '../../exchange/http/body.ts';
import type { IdMap } from './id-map.ts';
import { fieldsOf } from './list-pairs.ts';

/** One place where the response of the service differs from the recorded one. */
export interface Drift {
  /** `stream-value`: what a place holds from event to event; its values are descriptions such as `null, then "stop"`. */
  readonly kind: 'status' | 'content-type' | 'schema' | 'length' | 'stream-order' | 'stream-value' | 'value';
  /** JSON pointer into the body or event, or a description such as `header content-type`. */
  readonly at: string;
  /** Descriptions for `schema` and `stream-value`, numbers of elements for `length`, values otherwise. */
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

/** Members that hold what a model wrote or computed, or count its tokens. */
const OF_MODEL =
  /^(?:content|.*_content|value|text|arguments|refusal|obfuscation|revised_prompt|b64_json|logprobs?|top_logprobs|tokens?|.*_tokens|usage|score|.*_scores|.*_loss|.*_accuracy|segments|words)$/;

/** Members that the service sets anew in each run: times, URLs, fingerprints, seeds, and the space that it takes for an index. */
const OF_RUN =
  /^(?:created|expires|.*_at|estimated_finish|processing_ms|system_fingerprint|request_id|url|usage_bytes|seed)$/;

/** Settings that end like a number of used tokens. */
const SETTING = /^(?:max_.*|chunk_overlap)_tokens$/;

/** Members whose content comes from the client, whatever the names in it are. */
const OF_CLIENT = /^(?:metadata|attributes|parameters|json_schema)$/;

/** Progress of the files or requests of a job; totals and failures count. */
const PROGRESS = /^(?:in_progress|completed)$/;

/** Lists that a model fills, or that grow while a job runs: their length may differ. */
const OPEN_LIST = /^(?:tool_calls|annotations|outputs|events)$/;

/** Objects that a model or a job adds to a list. */
const OPEN_OBJECT = /^(?:thread\.run\.step|fine_tuning\.job\.(?:event|checkpoint))$/;

/** Purposes of files that the service writes. */
const WRITTEN = /^(?:assistants_output|batch_output|fine-tune-results)$/;

/** Whether a value may differ: by its name, or because it is to be ignored. */
export function isFree(path: readonly string[], { ignore }: Pick<DriftOptions, 'ignore'>): boolean {
  return isFreeName(path) || isIgnored(path, ignore);
}

function isFreeName(path: readonly string[]): boolean {
  const names = path.filter((token) => !/^\d+$/.test(token));
  const name = names.at(-1) ?? '';
  if (names.slice(0, -1).some((token) => OF_CLIENT.test(token))) return false;
  if (PROGRESS.test(name) && names.at(-2)?.endsWith('_counts') === true) return true;
  // Numbers of an embedding differ in their last digits; how many there are does not.
  if (name === 'embedding') return path.at(-1) !== 'embedding';
  return !SETTING.test(name) && (OF_MODEL.test(name) || OF_RUN.test(name));
}

/** Whether a place is to be ignored. */
export function isIgnored(path: readonly string[], ignore: DriftOptions['ignore']): boolean {
  return ignore.some(
    (pointer) =>
      pointer.length === path.length && pointer.every((token, i) => token === '*' || token === path[i]),
  );
}

/** Whether the content of a member comes from the client though its name says nothing: the message of a user. */
export function isFromClient(owner: ReadonlyMap<string, Json>, name: string): boolean {
  return name === 'content' && owner.get('role') === 'user';
}

/** Whether the size of a file may differ, because the service writes it. */
export function isWrittenSize(owner: ReadonlyMap<string, Json>, name: string): boolean {
  const purpose = owner.get('purpose');
  return name === 'bytes' && typeof purpose === 'string' && WRITTEN.test(purpose);
}

/** Whether the length of a list may differ, as long as it does not become empty. */
export function isOpenList(path: readonly string[], elements: readonly Json[]): boolean {
  if (OPEN_LIST.test(path.at(-1) ?? '')) return true;
  return elements.some((element) => {
    const { object, role } = fieldsOf(element);
    return (typeof object === 'string' && OPEN_OBJECT.test(object)) || role === 'assistant';
  });
}

/** The JSON type as messages name it. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
