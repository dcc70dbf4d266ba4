import type { Json } from '../../exchange/http/body.ts';
import type { IdMap } from './id-map.ts';

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

/** Names of members that differ from call to call: times, fingerprints, and texts of a model. */
const FREE =
  /^(?:created|expires|.*_at|system_fingerprint|content|.*_content|value|text|arguments|refusal|obfuscation|logprobs?|top_logprobs|bytes|tokens?|.*_tokens|usage|usage_bytes|url|b64_json|revised_prompt|.*_scores|processing_ms|request_id|first_id|last_id)$/;

/** Whether a value may differ: by its name, or because it is to be ignored. */
export function isFree(path: readonly string[], { ignore }: Pick<DriftOptions, 'ignore'>): boolean {
  const name = path.findLast((token) => !/^\d+$/.test(token)) ?? '';
  if (FREE.test(name)) return true;
  return ignore.some(
    (pointer) =>
      pointer.length === path.length && pointer.every((token, i) => token === '*' || token === path[i]),
  );
}

/** The JSON type as messages name it. */
export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
