import { endOfString } from '../../exchange/http/json-text.ts';
import type { Json } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';

export function writtenMembers(json: string): number {
  let count = 0;
  for (const token of jsonTokens(json)) if (token === ':') count += 1;
  return count;
}

/** Numbers of a valid JSON text as written (`1.0`, `1e1`), by JSON pointer. */
export function writtenNumbers(json: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const path: (string | number)[] = [];
  for (const token of jsonTokens(json)) {
    if (token === ':') continue;
    if (token === '{') path.push('');
    else if (token === '[') path.push(0);
    else if (token === '}' || token === ']') path.pop();
    else if (token === ',') step(path);
    else if (token.startsWith('"')) rename(path, token);
    else found.set(pointerOf(path), token);
  }
  return found;
}

/** Strings, brackets, colons, commas and numbers; everything else is skipped. */
function* jsonTokens(json: string): Generator<string> {
  const next = /["{}[\],:]|-?\d[\d.eE+-]*/g;
  for (let found = next.exec(json); found !== null; found = next.exec(json)) {
    const [token] = found;
    if (token === '"') next.lastIndex = endOfString(json, found.index) + 1;
    yield token === '"' ? json.slice(found.index, next.lastIndex) : token;
  }
}

function step(path: (string | number)[]): void {
  const last = path.at(-1);
  if (typeof last === 'number') path[path.length - 1] = last + 1;
}

function rename(path: (string | number)[], text: string): void {
  if (typeof path.at(-1) !== 'string') return;
  const name: Json = JSON.parse(text);
  path[path.length - 1] = String(name);
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.map((token) => `/${pointerToken(token)}`).join('');
}
