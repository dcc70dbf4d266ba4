import type { Json } from '../../../exchange/http/body.ts';
import { pointerToken } from '../../../schemas/pointer.ts';

/** Numbers of a JSON text as they are written, by JSON pointer: `1.0`, `1e1`. The text has to be valid: it was parsed before. */
export function writtenNumbers(json: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  /** Of each open object or list the token that leads to the next value. */
  const path: (string | number)[] = [];
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{') path.push('');
    else if (token === '[') path.push(0);
    else if (token === '}' || token === ']') path.pop();
    else if (token === ',') step(path);
    else if (token.startsWith('"')) rename(path, token);
    else found.set(pointerOf(path), token);
  }
  return found;
}

/** Texts, brackets, commas and numbers; all else is passed over. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],]|-?\d[\d.eE+-]*/g;

/** Goes to the next element of a list; the next member of an object has a name. */
function step(path: (string | number)[]): void {
  const last = path.at(-1);
  if (typeof last === 'number') path[path.length - 1] = last + 1;
}

/** A text in an object is the name of a member, or a value before which no number comes. */
function rename(path: (string | number)[], text: string): void {
  if (typeof path.at(-1) !== 'string') return;
  const name: Json = JSON.parse(text);
  path[path.length - 1] = String(name);
}

/** JSON pointer (RFC 6901) of the value that comes next. */
function pointerOf(path: readonly (string | number)[]): string {
  return path.map((token) => `/${pointerToken(token)}`).join('');
}
