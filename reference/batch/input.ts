import { LineTooLong, readLines } from '../files/lines.ts';
import { isJsonObject, type JsonObject } from '../server/json.ts';
import type { BatchProblem } from './batch.ts';

/** 2 Limits: requests of one batch. */
const mostRequests = 50_000;

/** Most problems that are reported. */
const mostProblems = 20;

/** A valid line of an input file: one request. */
export interface BatchLine {
  /** Unique in the file; the result repeats it. */
  readonly custom_id: string;
  readonly method: 'POST';
  readonly url: string;
  readonly body: JsonObject;
}

/** Counts the requests of an input file and validates its lines; a file without problems is valid. */
export async function checkInput(
  path: string,
  endpoint: string,
): Promise<{ readonly total: number; readonly problems: readonly BatchProblem[] }> {
  // Ids of all lines stay in memory: they must be unique in the file, which has at most 50,000.
  const seen = new Set<string>();
  const problems: BatchProblem[] = [];
  const report = (line: number | null, code: string, message: string, param: string | null = null) => {
    if (problems.length < mostProblems) problems.push({ code, message, param, line });
  };
  try {
    for await (const { number, text } of readLines(path)) {
      const read = parseLine(text, endpoint);
      if ('problem' in read) report(number, 'invalid_line', read.problem, read.param);
      else if (seen.has(read.custom_id)) {
        report(number, 'duplicate_custom_id', `'custom_id' is used twice: '${read.custom_id}'.`, 'custom_id');
      } else seen.add(read.custom_id);
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    report(error.line, 'line_too_long', error.message);
  }
  if (seen.size > mostRequests)
    report(null, 'too_many_requests', `At most ${mostRequests} requests fit in a batch.`);
  if (seen.size === 0 && problems.length === 0)
    report(null, 'empty_file', 'The input file holds no requests.');
  return { total: seen.size, problems };
}

/** One line of an input file (2 Batch), or the field and the rule that it breaks. */
export function parseLine(
  text: string,
  endpoint: string,
): BatchLine | { readonly problem: string; readonly param: string | null } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'The line is not valid JSON.', param: null };
  }
  if (!isJsonObject(value)) return { problem: 'The line is not a JSON object.', param: null };
  const { custom_id, method, url, body } = value;
  if (typeof custom_id !== 'string') return { problem: "'custom_id' must be a string.", param: 'custom_id' };
  if (method !== 'POST') return { problem: "'method' must be POST.", param: 'method' };
  if (url !== endpoint) return { problem: `'url' must be the batch's endpoint, ${endpoint}.`, param: 'url' };
  if (!isJsonObject(body)) return { problem: "'body' must be an object.", param: 'body' };
  return { custom_id, method, url, body };
}
