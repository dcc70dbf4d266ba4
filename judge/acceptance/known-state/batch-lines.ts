import type { Json } from '../../../exchange/http/body.ts';
import { parseBoundedJson } from '../../../exchange/http/json-text.ts';
import { schema } from '../../../schemas/index.ts';
import { isObject } from '../../evidence/json.ts';
import { holdsFor } from '../../probe/unlabelled-violations.ts';

/** Whether a text is an input of batches that keeps the specification (2 Batch): each line is a request and none blank, no two have the same custom_id. */
export function isBatchInput(text: string | null): boolean {
  const lines = (text ?? '').replace(/\n$/, '').split('\n');
  const requests = lines.map((line) => parseBoundedJson(line)?.value);
  const ids = new Set(requests.map(idOf));
  return lines.length > 0 && ids.size === lines.length && requests.every(isRequest);
}

/** Members of a line. */
const MEMBERS: ReadonlySet<string> = new Set(['custom_id', 'method', 'url', 'body']);

function isRequest(line: Json | undefined): boolean {
  // Whether other members are passed over is not stated.
  const isListed = isObject(line) && Object.keys(line).every((name) => MEMBERS.has(name));
  return isListed && holdsFor(schema('batch.input'), line);
}

function idOf(line: Json | undefined): Json | undefined {
  return isObject(line) ? line['custom_id'] : undefined;
}
