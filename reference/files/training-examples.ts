import { tryParseJson } from '../../schemas/json.ts';
import { isJsonObject } from '../http/json.ts';
import { countTokens } from '../model/tokens.ts';
import { LineTooLong, readLines } from './lines.ts';

export interface TrainingExamples {
  readonly count: number;
  readonly tokens: number;
}

export interface InvalidExample {
  /** The first invalid line, from 1; 1 for an empty file, 0 for a file whose lines were not read. */
  readonly line: number;
  readonly message: string;
}

export async function readExamples(path: string): Promise<TrainingExamples | InvalidExample> {
  let count = 0;
  let tokens = 0;
  // Consecutive equal lines are tokenized once, so that half a gigabyte of them takes a third of the time.
  let previous = { text: '', tokens: 0 };
  try {
    for await (const { number, text } of readLines(path)) {
      if (text !== previous.text) {
        const problem = findProblem(text);
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
  return count === 0 ? { line: 1, message: 'The file contains no examples.' } : { count, tokens };
}

/** Returns why a line is invalid, or null. An example has messages, or a prompt and its completion. */
function findProblem(text: string): string | null {
  const value = tryParseJson(text);
  if (value === undefined) return 'The line is not valid JSON.';
  if (!isJsonObject(value)) return 'The line is not a JSON object.';
  const isChat = Array.isArray(value['messages']) && value['messages'].length > 0;
  const isLegacy = typeof value['prompt'] === 'string' && typeof value['completion'] === 'string';
  return isChat || isLegacy ? null : "The line has neither 'messages' nor 'prompt' and 'completion'.";
}
