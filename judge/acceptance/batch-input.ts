import type { Json } from '../../exchange/http/body.ts';
import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import { schema } from '../../schemas/index.ts';
import { holdsFor } from '../probe/request-violations.ts';
import { isObject } from '../trace/json.ts';

/** The specification states this limit (2 Limits). */
const MAX_BATCH_REQUESTS = 50_000;
const BATCH_LINE_MEMBERS: ReadonlySet<string> = new Set(['custom_id', 'method', 'url', 'body']);

/** Whether a text is a valid batch input (2 Batch). A batch reports requests with an invalid body in its error file. */
export function isBatchInput(text: string | null): boolean {
  const lines = (text ?? '').replace(/\n$/, '').split('\n');
  if (lines.length > MAX_BATCH_REQUESTS) return false;
  const requests = lines.map((line) => parseBoundedJson(line)?.value);
  const ids = new Set(requests.map((line) => (isObject(line) ? line['custom_id'] : undefined)));
  return ids.size === lines.length && requests.every(isBatchRequest);
}

function isBatchRequest(line: Json | undefined): boolean {
  // The specification does not say whether other members are ignored.
  const hasOnlyKnownMembers =
    isObject(line) && Object.keys(line).every((name) => BATCH_LINE_MEMBERS.has(name));
  return hasOnlyKnownMembers && holdsFor(schema('batch.input'), line);
}
