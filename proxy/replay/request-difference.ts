import type { Json } from '../../exchange/http/body.ts';
import type { CanonicalRequest } from '../../exchange/matching/request-key.ts';
import { isJsonBranch, isJsonObject } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';

/** One place where two requests differ; undefined where one of them has no value there. */
export interface RequestDifference {
  /** `method`, `path`, `query limit`, `beta header`, `credentials`, `body /messages/0/content`, `form file`. */
  readonly at: string;
  readonly recorded: Json | undefined;
  readonly asked: Json | undefined;
}

/** Largest number of differences that are reported. */
const MOST = 20;

/** Where two requests differ: method and path first, then header, query and body; at most twenty places. */
export function requestDifferences(recorded: CanonicalRequest, asked: CanonicalRequest): RequestDifference[] {
  const found: RequestDifference[] = [];
  const compare = (at: string, left: Json, right: Json) => {
    if (left !== right) found.push({ at, recorded: left, asked: right });
  };
  compare('method', recorded.method, asked.method);
  compare('path', recorded.path, asked.path);
  compare('beta header', recorded.beta, asked.beta);
  compare('credentials', presence(recorded), presence(asked));
  const inQuery = { found, placeOf: (pointer: string) => `query ${pointer.slice('query/'.length)}` };
  compareValues('query', byName(recorded.query), byName(asked.query), inQuery);
  bodies(recorded.body, asked.body, found);
  return found.slice(0, MOST);
}

/** Credentials are compared by presence only, since their values were replaced. */
function presence({ credentials }: CanonicalRequest): string {
  return credentials ? 'present' : 'absent';
}

/** The query as an object, repeated names joined. */
function byName(query: CanonicalRequest['query']): Json {
  const names = new Set(query.map(([name]) => name));
  const values = (name: string) => query.filter(([key]) => key === name).map(([, value]) => value);
  return Object.fromEntries([...names].map((name) => [name, values(name).join(', ')]));
}

/** Compares two canonical bodies; bodies of different kinds differ as a whole. */
function bodies(recorded: Json, asked: Json, found: RequestDifference[]): void {
  const [left, right] = [kind(recorded), kind(asked)];
  if (left.kind !== right.kind) {
    if (left.value !== right.value) found.push({ at: 'body', recorded: left.kind, asked: right.kind });
  } else if (left.kind === 'form') {
    compareValues('', left.value, right.value, { found, placeOf: (at) => `form ${at.slice(1)}` });
  } else compareValues('', left.value, right.value, { found, placeOf: (at) => `body ${at}`.trimEnd() });
}

/** The kind of a canonical body, and the value to compare. */
function kind(body: Json): { kind: string; value: Json } {
  if (!isJsonObject(body)) return { kind: 'none', value: null };
  if ('json' in body) return { kind: 'JSON', value: body['json'] ?? null };
  if (Array.isArray(body['parts'])) return { kind: 'form', value: partsByName(body['parts']) };
  return { kind: 'bytes', value: body };
}

/** Parts of a form as members of an object; repeated names get an index. */
function partsByName(parts: readonly Json[]): Json {
  const named = parts.filter(isJsonObject).map((part, i) => [`${part['name'] ?? i}`, part] as const);
  const count = new Map<string, number>();
  return Object.fromEntries(
    named.map(([name, { name: _, ...part }]) => {
      const n = count.get(name) ?? 0;
      count.set(name, n + 1);
      return [n === 0 ? name : `${name}[${n}]`, 'value' in part ? (part['value'] ?? null) : part];
    }),
  );
}

interface DifferenceSink {
  readonly found: RequestDifference[];
  /** The name of a place in reports, from its JSON pointer. */
  readonly placeOf: (pointer: string) => string;
}

/** Adds every difference between two JSON values below `pointer` to the sink. */
function compareValues(
  pointer: string,
  recorded: Json | undefined,
  asked: Json | undefined,
  sink: DifferenceSink,
): void {
  const { found, placeOf } = sink;
  if (found.length > MOST || recorded === asked) return;
  const isSameKind =
    isJsonBranch(recorded) && isJsonBranch(asked) && Array.isArray(recorded) === Array.isArray(asked);
  if (!isSameKind) {
    found.push({ at: placeOf(pointer), recorded, asked });
    return;
  }
  const [left, right] = [new Map(Object.entries(recorded)), new Map(Object.entries(asked))];
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    compareValues(`${pointer}/${pointerToken(name)}`, left.get(name), right.get(name), sink);
  }
}
