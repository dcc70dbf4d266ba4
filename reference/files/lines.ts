import { createReadStream } from 'node:fs';
import { parsedJson } from '../../schemas/json.ts';
import { isJsonObject, type JsonObject } from '../http/json.ts';
import { countTokens } from '../model/tokens.ts';

/** Bounds the memory for one line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export class LineTooLong extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`Line ${line} is longer than ${MAX_LINE_BYTES} bytes.`);
    this.line = line;
  }
}

/** The non-blank lines of a file with their numbers from 1, in bounded memory. @throws LineTooLong */
export async function* readLines(path: string): AsyncGenerator<{ number: number; text: string }> {
  let rest = Buffer.alloc(0);
  let number = 0;
  const decode = (bytes: Buffer) => ({ number, text: bytes.toString('utf8').trim() });
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    rest = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
      number += 1;
      const line = decode(rest.subarray(from, end));
      if (line.text !== '') yield line;
      from = end + 1;
    }
    // The end of the chunk may be an incomplete line.
    rest = rest.subarray(from);
    if (rest.length > MAX_LINE_BYTES) throw new LineTooLong(number + 1);
  }
  number += 1;
  const last = decode(rest);
  if (last.text !== '') yield last;
}

/** Maximum number of requests in one batch (2 Limits). */
const MAX_REQUESTS = 50_000;

const MAX_PROBLEMS = 20;

/** An invalid line of the input file; `line` is null for a problem of the whole file. */
export interface BatchProblem {
  /** A name for the broken rule; the specification defines no such names. */
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

export function isJsonLines(filename: string): boolean {
  return filename.toLowerCase().endsWith('.jsonl');
}

export interface BatchLine {
  readonly custom_id: string;
  readonly method: 'POST';
  readonly url: string;
  readonly body: JsonObject;
}

export async function checkInput(
  path: string,
  endpoint: string,
): Promise<{ readonly total: number; readonly problems: readonly BatchProblem[] }> {
  // All ids stay in memory: they must be unique.
  const seen = new Set<string>();
  const problems: BatchProblem[] = [];
  const report = (line: number | null, code: string, message: string, param: string | null = null) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ code, message, param, line });
  };
  try {
    for await (const { number, text } of readLines(path)) {
      const line = parseLine(text, endpoint);
      if ('problem' in line) report(number, 'invalid_line', line.problem, line.param);
      else if (seen.has(line.custom_id)) {
        report(number, 'duplicate_custom_id', `'custom_id' is used twice: '${line.custom_id}'.`, 'custom_id');
      } else {
        seen.add(line.custom_id);
      }
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    report(error.line, 'line_too_long', error.message);
  }
  if (seen.size > MAX_REQUESTS)
    report(null, 'too_many_requests', `At most ${MAX_REQUESTS} requests fit in a batch.`);
  if (seen.size === 0 && problems.length === 0)
    report(null, 'empty_file', 'The input file holds no requests.');
  return { total: seen.size, problems };
}

/** The request of a line, or the problem with the field at fault, null for the whole line (2 Batch). */
export function parseLine(
  text: string,
  endpoint: string,
): BatchLine | { readonly problem: string; readonly param: string | null } {
  const value = parsedJson(text);
  if (value === undefined) return { problem: 'The line is not valid JSON.', param: null };
  if (!isJsonObject(value)) return { problem: 'The line is not a JSON object.', param: null };
  const { custom_id, method, url, body } = value;
  if (typeof custom_id !== 'string') return { problem: "'custom_id' must be a string.", param: 'custom_id' };
  if (method !== 'POST') return { problem: "'method' must be POST.", param: 'method' };
  if (url !== endpoint) return { problem: `'url' must be the batch's endpoint, ${endpoint}.`, param: 'url' };
  if (!isJsonObject(body)) return { problem: "'body' must be an object.", param: 'body' };
  return { custom_id, method, url, body };
}

export interface TrainingExamples {
  readonly count: number;
  readonly tokens: number;
}

/** The first invalid line of a file, from 1; 0 for a problem of the file as a whole. */
export interface InvalidExample {
  readonly line: number;
  readonly message: string;
}

export async function readExamples(path: string): Promise<TrainingExamples | InvalidExample> {
  let count = 0;
  let tokens = 0;
  // Tokens of consecutive equal lines are counted once, so that half a gigabyte of them takes a third of the time.
  let previous = { text: '', tokens: 0 };
  try {
    for await (const { number, text } of readLines(path)) {
      if (text !== previous.text) {
        const problem = problemOf(text);
        if (problem !== null) return { line: number, message: problem };
        previous = { text, tokens: countTokens(text) };
      }
      count += 1;
      tokens += previous.tokens;
    }
  } catch (error) {
    if (error instanceof LineTooLong) return { line: error.line, message: error.message };
    throw error;
  }
  return count === 0 ? { line: 1, message: 'The file holds no examples.' } : { count, tokens };
}

/** Why a line is invalid, or null. An example has messages, or a prompt and its completion. */
function problemOf(text: string): string | null {
  const value = parsedJson(text);
  if (value === undefined) return 'The line is not valid JSON.';
  if (!isJsonObject(value)) return 'The line is not a JSON object.';
  const chat = Array.isArray(value['messages']) && value['messages'].length > 0;
  const legacy = typeof value['prompt'] === 'string' && typeof value['completion'] === 'string';
  return chat || legacy ? null : "The line has neither 'messages' nor 'prompt' and 'completion'.";
}
