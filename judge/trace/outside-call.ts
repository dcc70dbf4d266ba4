// Calls outside the specification. Their effect is unknown, and so is the state of the objects in their path
// afterwards.
import { type Exchange, precedes } from '../../exchange/exchange.ts';
import { decodedSegment, operations, perSpecification } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';
import { LruMap } from './lru-map.ts';
import { responseClassOf } from './response-class.ts';

/** An exchange outside the specification that may have changed something. */
export interface OutsideCall {
  readonly exchange: Exchange;
  /** The last object in the path. */
  readonly target: string;
  /** The objects before it in the path, outermost first. */
  readonly owners: readonly string[];
  /**
   * `element`: the path ends with the id of the target, so only the target changes. `action`: a word such as `cancel`
   * follows, so the owners may change as well.
   */
  readonly reach: 'element' | 'action';
  readonly deletes: boolean;
}

/** Methods that change nothing. */
const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** Outcomes that mean that nothing was done. */
const UNDONE: readonly string[] = ['rejected', 'refused', 'absent'];

/** Null for an exchange that reads, was refused, or names no object. Call it only if no operation matches. */
export function outsideCallOf(exchange: Exchange): OutsideCall | null {
  const { method, target: address } = exchange.request;
  if (READING.includes(method) || UNDONE.includes(responseClassOf(exchange))) return null;
  const { ids, endsWithId } = idsOfPath(address);
  const target = ids.at(-1);
  if (target === undefined) return null;
  return {
    exchange,
    target,
    owners: ids.slice(0, -1),
    reach: endsWithId ? 'element' : 'action',
    deletes: method === 'DELETE',
  };
}

/** Maximum number of calls kept per id; with more, the order is unknown. */
const SPANS = 20;

/** Records which objects calls outside the specification have touched, and when, in bounded memory. */
export class OutsideTouches {
  readonly #objects = new LruMap<Exchange[]>();
  readonly #lists = new LruMap<Exchange[]>();
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  note({ exchange, target, owners, reach }: OutsideCall): void {
    this.#count += 1;
    for (const id of reach === 'action' ? [target, ...owners] : [target]) keep(this.#objects, id, exchange);
    for (const id of reach === 'action' ? [target, ...owners] : owners.slice(-1))
      keep(this.#lists, id, exchange);
  }

  /** Whether one of these objects may have changed between the beginning of `since` and the end of `until`. */
  touched(ids: readonly string[], since: Exchange, until: Exchange): boolean {
    return ids.some((id) => isBetween(this.#objects.get(id), since, until));
  }

  separates(exchanges: readonly Exchange[]): boolean {
    const [since, ...later] = exchanges;
    const until = exchanges.at(-1);
    if (this.isEmpty || since === undefined || until === undefined || later.length === 0) return false;
    const named = exchanges.flatMap(idsNamedBy);
    const listed = later.flatMap(({ request: { target } }) => {
      const { ids, endsWithId } = idsOfPath(target);
      return endsWithId ? [] : ids.slice(-1);
    });
    const isListChanged = listed.some((id) => isBetween(this.#lists.get(id), since, until));
    return isListChanged || this.touched(named, since, until);
  }
}

function keep(spans: LruMap<Exchange[]>, id: string, exchange: Exchange): void {
  const known = spans.at(id, () => []);
  if (known.length < SPANS) known.push(exchange);
}

function isBetween(spans: readonly Exchange[] | undefined, since: Exchange, until: Exchange): boolean {
  if (spans === undefined) return false;
  return spans.length === SPANS || spans.some((one) => !precedes(one, since) && !precedes(until, one));
}

function idsNamedBy({ request, response }: Exchange): readonly string[] {
  const json = response?.body.json?.value;
  const id = isObject(json) ? json['id'] : undefined;
  return [...idsOfPath(request.target).ids, ...(typeof id === 'string' ? [id] : [])];
}

const knownWords = perSpecification(
  (): ReadonlySet<string> =>
    new Set(
      operations().flatMap(({ path }) => path.split('/').filter((segment) => !segment.startsWith('{'))),
    ),
);

/**
 * Ids in a path, decoded. A segment is a word if the specification has it, if it begins the path, or if it follows
 * an id; otherwise it is an id.
 */
function idsOfPath(address: string): { readonly ids: readonly string[]; readonly endsWithId: boolean } {
  const ids: string[] = [];
  let endsWithId = true;
  const [path = ''] = address.replace(/^\/v1(?=\/)/, '').split(/[?#]/, 1);
  for (const segment of path.split('/').filter((part) => part !== '')) {
    endsWithId = !endsWithId && !knownWords().has(segment);
    if (endsWithId) ids.push(decodedSegment(segment));
  }
  return { ids, endsWithId };
}
