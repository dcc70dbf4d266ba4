import type { Json } from './body.ts';

/** The text that one event of a stream adds: of a chat completion, a text completion (the first choice), or a message of a run. */
export function streamedText(event: Json | undefined): string {
  const choice = inside(inside(event, 'choices'), 0);
  const said = inside(inside(choice, 'delta'), 'content') ?? inside(choice, 'text');
  if (typeof said === 'string') return said;
  const parts = inside(inside(event, 'delta'), 'content');
  if (!Array.isArray(parts)) return '';
  return parts.map((part: Json) => textOr(inside(inside(part, 'text'), 'value'))).join('');
}

/** A member or an element; undefined where the value lacks it. */
function inside(json: Json | undefined, key: string | number): Json | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  return Object.entries(json).find(([name]) => name === String(key))?.[1];
}

function textOr(json: Json | undefined): string {
  return typeof json === 'string' ? json : '';
}

/** Levels of a body that are searched. */
const DEPTH = 12;

/** Whether a text is one of the strings of a JSON value as it is, apart from white space around it; a part of a string is not. */
export function holdsText(json: Json | undefined, text: string): boolean {
  return isHeld(json, text.trim(), DEPTH);
}

function isHeld(json: Json | undefined, text: string, depth: number): boolean {
  if (typeof json === 'string') return json.trim() === text;
  if (typeof json !== 'object' || json === null || depth === 0) return false;
  return Object.values(json).some((value) => isHeld(value, text, depth - 1));
}
