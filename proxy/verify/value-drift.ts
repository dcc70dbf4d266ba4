import type { Json } from '../../exchange/http/body.ts';
import { isJsonObject, type JsonObject } from '../../schemas/json.ts';
import { pointerToken } from '../../schemas/pointer.ts';
import {
  type Drift,
  type DriftOptions,
  isFree,
  isFromClient,
  isIgnored,
  isOpenList,
  isWrittenSize,
  kindOf,
} from './compared-places.ts';
import { fieldsOf, pairElements } from './list-pairs.ts';

/** A place in a JSON body, in two forms. */
interface BodyPlace {
  /** JSON pointer. */
  readonly pointer: string;
  /** The same as names and indices. */
  readonly path: readonly string[];
  /** Whether the client wrote what is there, whatever the names are. */
  readonly isGiven: boolean;
}

/** Compares two JSON bodies, place by place; elements of lists with the ones that correspond to them. */
export function valueDrift(recorded: Json, now: Json, options: DriftOptions): readonly Drift[] {
  return drifts({ pointer: '', path: [], isGiven: false }, recorded, now, options);
}

function drifts(
  place: BodyPlace,
  recorded: Json | undefined,
  now: Json | undefined,
  options: DriftOptions,
): readonly Drift[] {
  const { pointer: at, path, isGiven } = place;
  if (isGiven ? isIgnored(path, options.ignore) : isFree(path, options)) return [];
  const kinds = [kindOf(recorded), kindOf(now)];
  if (kinds[0] !== kinds[1]) return [{ kind: 'schema', at, recorded: kinds[0], now: kinds[1] }];
  if (Array.isArray(recorded) && Array.isArray(now)) return listDrifts(place, recorded, now, options);
  if (isJsonObject(recorded) && isJsonObject(now)) return memberDrifts(place, recorded, now, options);
  const expected = typeof recorded === 'string' ? options.ids.apply(recorded) : recorded;
  return recorded === now || expected === now ? [] : [{ kind: 'value', at, recorded, now }];
}

function listDrifts(
  place: BodyPlace,
  recorded: readonly Json[],
  now: readonly Json[],
  options: DriftOptions,
): readonly Drift[] {
  const [before, after] = [recorded.length, now.length];
  const isOpen = isOpenList(place.path, [...recorded, ...now]);
  const length: readonly Drift[] =
    before !== after && !(isOpen && (after > 0 || before === 0))
      ? [{ kind: 'length', at: place.pointer, recorded: before, now: after }]
      : [];
  const elements = pairElements(recorded, now, (id) => options.ids.apply(id)).flatMap(([i, k]) =>
    drifts(inside(place, String(i)), recorded[i], now[k], options),
  );
  return [...length, ...elements];
}

function memberDrifts(
  place: BodyPlace,
  recorded: JsonObject,
  now: JsonObject,
  options: DriftOptions,
): readonly Drift[] {
  const [left, right] = [new Map<string, Json>(Object.entries(recorded)), new Map(Object.entries(now))];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name) => {
    if (isWrittenSize(left, name) || (isEdge(recorded, name) && isEdge(now, name))) return [];
    const inner = inside(place, name);
    const isGiven = inner.isGiven || isFromClient(left, name);
    return drifts({ ...inner, isGiven }, left.get(name), right.get(name), options);
  });
}

/** Whether a member repeats the id of the first or last element of the list beside it. */
function isEdge(owner: JsonObject, name: string): boolean {
  const data = owner['data'];
  if (!Array.isArray(data) || (name !== 'first_id' && name !== 'last_id')) return false;
  const element: Json | undefined = name === 'first_id' ? data[0] : data.at(-1);
  return element !== undefined && fieldsOf(element)['id'] === owner[name];
}

function inside({ pointer, path, isGiven }: BodyPlace, name: string): BodyPlace {
  return { pointer: `${pointer}/${pointerToken(name)}`, path: [...path, name], isGiven };
}
