import { LineTooLong, readLines } from '../files/lines.ts';
import { countTokens } from '../model/tokens.ts';
import { isJsonObject } from '../server/json.ts';

/** Number of examples in a file, and of their tokens. */
export interface TrainingExamples {
  readonly count: number;
  readonly tokens: number;
}

/** The first invalid line of a file, from 1; 0 for a problem of the file as a whole. */
export interface InvalidExample {
  readonly line: number;
  readonly message: string;
}

/** Counts the examples of a training file, or returns its first invalid line. */
export async function readExamples(path: string): Promise<TrainingExamples | InvalidExample> {
  let count = 0;
  let tokens = 0;
  try {
    // Lines are read one at a time: a training file may be larger than memory.
    for await (const { number, text } of readLines(path)) {
      const problem = problemOf(text);
      if (problem !== null) return { line: number, message: problem };
      count += 1;
      tokens += countTokens(text);
    }
  } catch (error) {
    if (error instanceof LineTooLong) return { line: error.line, message: error.message };
    throw error;
  }
  return count === 0 ? { line: 1, message: 'The file holds no examples.' } : { count, tokens };
}

/** The reason why a line is invalid, or null: examples have messages, or a prompt with its completion. */
function problemOf(text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'The line is not valid JSON.';
  }
  if (!isJsonObject(value)) return 'The line is not a JSON object.';
  const chat = Array.isArray(value['messages']) && value['messages'].length > 0;
  const legacy = typeof value['prompt'] === 'string' && typeof value['completion'] === 'string';
  return chat || legacy ? null : "The line has neither 'messages' nor 'prompt' and 'completion'.";
}
