// Calls of operations that the specification lacks: after such a call, the state of the objects in its path is unknown.
import type { Exchange } from '../../exchange/exchange.ts';
import { jsonContent } from '../../exchange/http/content.ts';
import { decodeSegment, operations, perSpecification } from '../../schemas/index.ts';
import { textAt } from './json.ts';
import { mayHaveSucceeded, responseClassOf } from './response-class.ts';
import { Timeline } from './timeline.ts';

export interface OutsideCall {
  /** An exchange that may have had an effect, with a method other than GET, HEAD and OPTIONS. */
  readonly exchange: Exchange;
  readonly target: string;
  /** The objects before the target in the path, outermost first. */
  readonly owners: readonly string[];
  /** `element`: the path ends with the id of the target; `action`: a word follows it, so the owners may change too. */
  readonly reach: 'element' | 'action';
  readonly deletes: boolean;
}

const READING_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Null if the exchange only reads, had no effect, or names no object. */
export function outsideCallOf(exchange: Exchange): OutsideCall | null {
  const { method, target: requestTarget } = exchange.request;
  if (READING_METHODS.includes(method)) return null;
  if (!mayHaveSucceeded({ responseClass: responseClassOf(exchange) })) return null;
  const { ids, endsWithId } = idsOfPath(requestTarget);
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

export class OutsideChanges {
  readonly #objects = new Timeline();
  readonly #lists = new Timeline();
  #isEmpty = true;

  /** Calls come in the order in which they ended. */
  note({ exchange, target, owners, reach }: OutsideCall): void {
    this.#isEmpty = false;
    const isAction = reach === 'action';
    for (const id of isAction ? [target, ...owners] : [target]) this.#objects.note(id, exchange);
    for (const id of isAction ? [target, ...owners] : owners.slice(-1)) this.#lists.note(id, exchange);
  }

  /** Whether one of these objects may have changed between the beginning of `since` and the end of `until`. */
  mayHaveChanged(ids: readonly string[], since: Exchange, until: Exchange): boolean {
    return this.#objects.isChanged(ids, since, until);
  }

  /** Whether an outside call may have changed an object or list between the first and the last of these exchanges. */
  separates(exchanges: readonly Exchange[]): boolean {
    const [since, ...later] = exchanges;
    const until = exchanges.at(-1);
    if (this.#isEmpty || since === undefined || until === undefined || later.length === 0) return false;
    const namedIds = exchanges.flatMap(idsNamedBy);
    const listOwners = later.flatMap(({ request: { target } }) => {
      const { ids, endsWithId } = idsOfPath(target);
      return endsWithId ? [] : ids.slice(-1);
    });
    return this.#lists.isChanged(listOwners, since, until) || this.mayHaveChanged(namedIds, since, until);
  }
}

function idsNamedBy({ request, response }: Exchange): readonly string[] {
  const id = textAt(jsonContent(response), 'id');
  return [...idsOfPath(request.target).ids, ...(id === undefined ? [] : [id])];
}

const knownWords = perSpecification((): ReadonlySet<string> => {
  const segments = operations().flatMap(({ path }) => path.split('/'));
  return new Set(segments.filter((segment) => !segment.startsWith('{')));
});

/** Decoded ids in a path. A segment is a word if the specification has it, it begins the path, or it follows an id. */
function idsOfPath(requestTarget: string): { readonly ids: readonly string[]; readonly endsWithId: boolean } {
  const ids: string[] = [];
  let endsWithId = true;
  const [path = ''] = requestTarget.replace(/^\/v1(?=\/)/, '').split(/[?#]/, 1);
  for (const segment of path.split('/').filter((part) => part !== '')) {
    endsWithId = !endsWithId && !knownWords().has(segment);
    if (endsWithId) ids.push(decodeSegment(segment));
  }
  return { ids, endsWithId };
}
