import { endOfString } from '../../exchange/http/json-text.ts';
import type { Json } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';

/** Counts the members of all objects in a JSON text, including duplicates, which a parser would drop. */
export function countWrittenMembers(json: string): number {
  let count = 0;
  for (const token of jsonTokens(json)) if (token === ':') count += 1;
  return count;
}

/** Numbers of a valid JSON text as written (`1.0`, `1e1`), by JSON pointer. */
export function writtenNumbers(json: string): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>();
  const path: (string | number)[] = [];
  for (const token of jsonTokens(json)) {
    if (token === ':') continue;
    if (token === '{') path.push('');
    else if (token === '[') path.push(0);
    else if (token === '}' || token === ']') path.pop();
    else if (token === ',') advanceIndex(path);
    else if (token.startsWith('"')) setMemberName(path, token);
    else numbers.set(pointerOf(path), token);
  }
  return numbers;
}

function* jsonTokens(json: string): Generator<string> {
  const pattern = /["{}[\],:]|-?\d[\d.eE+-]*/g;
  for (let match = pattern.exec(json); match !== null; match = pattern.exec(json)) {
    const [token] = match;
    if (token === '"') pattern.lastIndex = endOfString(json, match.index) + 1;
    yield token === '"' ? json.slice(match.index, pattern.lastIndex) : token;
  }
}

function advanceIndex(path: (string | number)[]): void {
  const last = path.at(-1);
  if (typeof last === 'number') path[path.length - 1] = last + 1;
}

/** Also called for a string that is a value; the next name overwrites it. */
function setMemberName(path: (string | number)[], text: string): void {
  if (typeof path.at(-1) !== 'string') return;
  const name: Json = JSON.parse(text);
  path[path.length - 1] = String(name);
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((token) => `/${pointerToken(token)}`).join('');
}
