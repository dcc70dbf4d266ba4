import { valueAtPointer } from '../../schemas/pointer.ts';
import type { Json } from './body.ts';

/** Minimum length in UTF-16 code units of a text whose reuse is noticed: shorter texts recur by chance. */
export const MIN_REUSED_LENGTH = 12;
const MAX_SEARCH_DEPTH = 12;

/** The text that one event of a completion adds to the choice it lists first, or one of a run adds to a message. */
export function streamedText(event: Json | undefined): string {
  const text = valueAtPointer(event, '/choices/0/delta/content') ?? valueAtPointer(event, '/choices/0/text');
  if (typeof text === 'string') return text;
  const parts = valueAtPointer(event, '/delta/content');
  if (!Array.isArray(parts)) return '';
  const texts = parts.map((part: unknown) => valueAtPointer(part, '/text/value'));
  return texts.filter((part) => typeof part === 'string').join('');
}

/** Whether a string at most `MAX_SEARCH_DEPTH` levels deep equals the text, regardless of white space at their ends. */
export function holdsText(json: Json | undefined, text: string): boolean {
  return holdsTrimmedText(json, text.trim(), MAX_SEARCH_DEPTH);
}

function holdsTrimmedText(json: Json | undefined, text: string, depth: number): boolean {
  if (typeof json === 'string') return json.trim() === text;
  if (typeof json !== 'object' || json === null || depth === 0) return false;
  return Object.values(json).some((value) => holdsTrimmedText(value, text, depth - 1));
}
