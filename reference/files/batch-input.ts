import { tryParseJson } from '../../schemas/json.ts';
import { shorten } from '../http/api-error.ts';
import { isJsonObject, type JsonObject } from '../http/json.ts';
import { LineTooLong, readLines } from './lines.ts';

/** Maximum number of requests in one batch (2 Limits). */
const MAX_REQUESTS = 50_000;
const MAX_PROBLEMS = 20;

/** A problem in the input file; `line` counts from 1 and is null if the problem concerns the whole file. */
export interface BatchProblem {
  /** A name for the broken rule; the specification defines no such names. */
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

export interface BatchLine {
  readonly custom_id: string;
  readonly method: 'POST';
  readonly url: string;
  readonly body: JsonObject;
}

/** `total`: requests without a problem; `problems`: the first `MAX_PROBLEMS`. Stops at a line that is too long. */
export async function checkBatchInput(
  path: string,
  endpoint: string,
): Promise<{ readonly total: number; readonly problems: readonly BatchProblem[] }> {
  // All ids stay in memory: they must be unique.
  const customIds = new Set<string>();
  const problems: BatchProblem[] = [];
  const report = (line: number | null, code: string, message: string, param: string | null = null) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ code, message, param, line });
  };
  try {
    for await (const { number, text } of readLines(path)) {
      const line = parseBatchLine(text, endpoint);
      if ('problem' in line) report(number, 'invalid_line', line.problem, line.param);
      else if (customIds.has(line.custom_id)) {
        report(
          number,
          'duplicate_custom_id',
          `'custom_id' is used twice: '${shorten(line.custom_id)}'.`,
          'custom_id',
        );
      } else {
        customIds.add(line.custom_id);
      }
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    report(error.line, 'line_too_long', error.message);
  }
  if (customIds.size > MAX_REQUESTS)
    report(null, 'too_many_requests', `At most ${MAX_REQUESTS} requests fit in a batch.`);
  if (customIds.size === 0 && problems.length === 0)
    report(null, 'empty_file', 'The input file contains no requests.');
  return { total: customIds.size, problems };
}

/** Parses a line (2 Batch), or describes its problem; `param` is the field at fault, null for the whole line. */
export function parseBatchLine(
  text: string,
  endpoint: string,
): BatchLine | { readonly problem: string; readonly param: string | null } {
  const value = tryParseJson(text);
  if (value === undefined) return { problem: 'The line is not valid JSON.', param: null };
  if (!isJsonObject(value)) return { problem: 'The line is not a JSON object.', param: null };
  const { custom_id, method, url, body } = value;
  if (typeof custom_id !== 'string') return { problem: "'custom_id' must be a string.", param: 'custom_id' };
  if (method !== 'POST') return { problem: "'method' must be POST.", param: 'method' };
  if (url !== endpoint) return { problem: `'url' must be the batch's endpoint, ${endpoint}.`, param: 'url' };
  if (!isJsonObject(body)) return { problem: "'body' must be an object.", param: 'body' };
  return { custom_id, method, url, body };
}
