import type { Json } from '../../exchange/http/body.ts';
import type { CanonicalRequest } from '../../exchange/matching/request-key.ts';
import { pointerToken } from '../../schemas/pointer.ts';

/** One place where two requests differ; undefined where a side has nothing there. */
export interface RequestDifference {
  /** `method`, `path`, `query limit`, `beta header`, `credentials`, `body /messages/0/content`, `form file`. */
  readonly at: string;
  readonly recorded: Json | undefined;
  readonly asked: Json | undefined;
}

/** More differences than this are not worth reading. */
const MOST = 20;

/** Where two requests differ, most telling first; at most twenty places. */
export function requestDifferences(recorded: CanonicalRequest, asked: CanonicalRequest): RequestDifference[] {
  const found: RequestDifference[] = [];
  const compare = (at: string, left: Json, right: Json) => {
    if (left !== right) found.push({ at, recorded: left, asked: right });
  };
  compare('method', recorded.method, asked.method);
  compare('path', recorded.path, asked.path);
  compare('beta header', recorded.beta, asked.beta);
  compare('credentials', presence(recorded), presence(asked));
  walk('query', byName(recorded.query), byName(asked.query), found, (name) => `query ${name.slice(1)}`);
  bodies(recorded.body, asked.body, found);
  return found.slice(0, MOST);
}

function presence({ credentials }: CanonicalRequest): string {
  return credentials ? 'present' : 'absent';
}

function byName(query: CanonicalRequest['query']): Json {
  const names = new Set(query.map(([name]) => name));
  const values = (name: string) => query.filter(([key]) => key === name).map(([, value]) => value);
  return Object.fromEntries([...names].map((name) => [name, values(name).join(', ')]));
}

function bodies(recorded: Json, asked: Json, found: RequestDifference[]): void {
  const [left, right] = [kind(recorded), kind(asked)];
  if (left.kind !== right.kind) {
    if (left.value !== right.value) found.push({ at: 'body', recorded: left.kind, asked: right.kind });
  } else if (left.kind === 'form') {
    walk('', left.value, right.value, found, (pointer) => `form ${pointer.slice(1)}`);
  } else walk('', left.value, right.value, found, (pointer) => `body ${pointer}`.trimEnd());
}

/** What a canonical body is, and the value to compare. */
function kind(body: Json): { kind: string; value: Json } {
  if (!isObject(body)) return { kind: 'none', value: null };
  if ('json' in body) return { kind: 'JSON', value: body['json'] ?? null };
  if (Array.isArray(body['parts'])) return { kind: 'form', value: partsByName(body['parts']) };
  return { kind: 'bytes', value: body };
}

function partsByName(parts: readonly Json[]): Json {
  const named = parts.filter(isObject).map((part, i) => [`${part['name'] ?? i}`, part] as const);
  const count = new Map<string, number>();
  return Object.fromEntries(
    named.map(([name, { name: _, ...part }]) => {
      const n = count.get(name) ?? 0;
      count.set(name, n + 1);
      return [n === 0 ? name : `${name}[${n}]`, 'value' in part ? (part['value'] ?? null) : part];
    }),
  );
}

function walk(
  pointer: string,
  recorded: Json | undefined,
  asked: Json | undefined,
  found: RequestDifference[],
  say: (pointer: string) => string,
): void {
  if (found.length > MOST || recorded === asked) return;
  const names = isBranch(recorded) && isBranch(asked) && Array.isArray(recorded) === Array.isArray(asked);
  if (!names) {
    found.push({ at: say(pointer), recorded, asked });
    return;
  }
  const [left, right] = [new Map(Object.entries(recorded)), new Map(Object.entries(asked))];
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    walk(`${pointer}/${pointerToken(name)}`, left.get(name), right.get(name), found, say);
  }
}

function isBranch(value: Json | undefined): value is readonly Json[] | { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return isBranch(value) && !Array.isArray(value);
}
