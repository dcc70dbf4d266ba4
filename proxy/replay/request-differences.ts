import type { Json } from '../../exchange/http/body.ts';
import { type CanonicalRequest, equateAliases } from '../../exchange/matching/request-key.ts';
import { isJsonBranch, isJsonObject } from '../../schemas/json.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { pointerToken } from '../../schemas/pointer.ts';

export interface RequestDifference {
  /** Place: `method`, `path`, `query limit`, `beta header`, `credentials`, `body /messages/0/content`, `form file`. */
  readonly at: string;
  /** The value in the recording; undefined if it has none. For bodies of different kinds, the kind, such as `form`. */
  readonly recorded: Json | undefined;
  /** The same for the missed request. */
  readonly asked: Json | undefined;
}

const MAX_DIFFERENCES = 20;

/** Lists at most twenty differences: method and path first, then beta header, credentials, query and body. */
export function compareRequests(recorded: CanonicalRequest, asked: CanonicalRequest): RequestDifference[] {
  const differences: RequestDifference[] = [];
  for (const difference of findAllDifferences(recorded, asked))
    if (differences.push(difference) === MAX_DIFFERENCES) break;
  return differences;
}

function* findAllDifferences(
  recorded: CanonicalRequest,
  asked: CanonicalRequest,
): Generator<RequestDifference> {
  const values: readonly (readonly [at: string, recorded: Json, asked: Json])[] = [
    ['method', recorded.method, asked.method],
    ['path', recorded.path, asked.path],
    ['beta header', recorded.beta, asked.beta],
    ['credentials', credentialsText(recorded), credentialsText(asked)],
  ];
  for (const [at, left, right] of values)
    if (!isSame(left, right)) yield { at, recorded: left, asked: right };
  for (const difference of findValueDifferences('', queryByName(recorded.query), queryByName(asked.query)))
    yield { ...difference, at: `query ${difference.at.slice(1)}` };
  const [left, right] = [classifyBody(recorded.body), classifyBody(asked.body)];
  if (left.kind === right.kind) {
    for (const { at, ...values } of findValueDifferences('', left.value, right.value)) {
      const place = at === '' ? 'body' : `body ${at}`;
      yield { ...values, at: left.kind === 'form' ? `form ${at.slice(1)}` : place };
    }
  } else yield { at: 'body', recorded: left.kind, asked: right.kind };
}

/** Credentials are compared by presence only, because their values were replaced. */
function credentialsText({ credentials }: CanonicalRequest): string {
  return credentials ? 'present' : 'absent';
}

function queryByName(query: CanonicalRequest['query']): Json {
  const byName = new Map<string, string[]>();
  for (const [name, value] of query) getOrMake(byName, name, () => []).push(value);
  const unwrap = (values: readonly string[]): Json => (values.length === 1 ? (values[0] ?? '') : values);
  return Object.fromEntries([...byName].map(([name, values]) => [name, unwrap(values)]));
}

function classifyBody(body: Json): { kind: string; value: Json } {
  if (!isJsonObject(body)) return { kind: 'none', value: null };
  if ('json' in body) return { kind: 'JSON', value: body['json'] ?? null };
  if (Array.isArray(body['parts'])) return { kind: 'form', value: partsByName(body['parts']) };
  return { kind: 'bytes', value: body };
}

function partsByName(parts: readonly Json[]): Json {
  const namedParts = parts.filter(isJsonObject).map((part, i) => [`${part['name'] ?? i}`, part] as const);
  const counts = new Map<string, number>();
  return Object.fromEntries(
    namedParts.map(([name, { name: _, ...part }]) => {
      const n = counts.get(name) ?? 0;
      counts.set(name, n + 1);
      return [n === 0 ? name : `${name}[${n}]`, 'value' in part ? (part['value'] ?? null) : part];
    }),
  );
}

function* findValueDifferences(
  pointer: string,
  recorded: Json | undefined,
  asked: Json | undefined,
): Generator<RequestDifference> {
  if (isSame(recorded, asked)) return;
  const isSameKind =
    isJsonBranch(recorded) && isJsonBranch(asked) && Array.isArray(recorded) === Array.isArray(asked);
  if (!isSameKind) {
    yield { at: pointer, recorded, asked };
    return;
  }
  const [left, right] = [new Map(Object.entries(recorded)), new Map(Object.entries(asked))];
  for (const name of new Set([...left.keys(), ...right.keys()]))
    yield* findValueDifferences(`${pointer}/${pointerToken(name)}`, left.get(name), right.get(name));
}

/** Aliases are equal, as in match keys. */
function isSame(recorded: Json | undefined, asked: Json | undefined): boolean {
  if (typeof recorded !== 'string' || typeof asked !== 'string') return recorded === asked;
  return equateAliases(recorded) === equateAliases(asked);
}
