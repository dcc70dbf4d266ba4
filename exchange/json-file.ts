import { messageOf } from '../schemas/error-message.ts';
import type { Json } from '../schemas/json.ts';
import { printable } from './printable.ts';

export function parseJsonFile(text: string, name: string, Failure: new (message: string) => Error): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(`${name} is not valid JSON: ${jsonSyntaxError(error)}`);
  }
}

/** The parser quotes the text, which may contain control characters. */
export function jsonSyntaxError(error: unknown): string {
  return printable(messageOf(error));
}
