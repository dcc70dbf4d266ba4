// An object that was created again counts as present; overlapping calls prove nothing.
import type { OutsideCall } from '../../judge/trace/outside-call.ts';
import { Deferred, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Selector, TraceSpan } from '../vocabulary/types.ts';
import { MAX_OBJECTS, restoredIds, restoringOperations } from './objects.ts';
import type { Resource } from './resources.ts';

export interface PageAfterDeletion extends Evidence {
  readonly call: Call;
  /** Ids of the exchanges that deleted objects before the page, by the id of the object. */
  readonly deleted: ReadonlyMap<string, string>;
}

export function pagesAfterDeletion(
  resource: Resource,
  remove: string,
  list: string,
): Selector<PageAfterDeletion> {
  return {
    operations: [list, remove, ...restoringOperations(resource)],
    variant: resource.variant ?? null,
    everyVariant: [remove],
    needs: `a page of ${list} that was requested after ${remove} reported a deletion`,
    collect: () => new PageAfterDeletionCollector(remove, list),
  };
}

class PageAfterDeletionCollector implements Collector<PageAfterDeletion> {
  readonly #remove: string;
  readonly #list: string;
  readonly #deleted = new LruMap<LruMap<TraceSpan & { readonly by: string }>>(MAX_OBJECTS);
  readonly #creations = new Timeline();
  readonly #deferred = new Deferred<PageAfterDeletion>();

  constructor(remove: string, list: string) {
    this.#remove = remove;
    this.#list = list;
  }

  call(call: Call): readonly PageAfterDeletion[] {
    const { exchange, operation, path } = call;
    if (operation.id === this.#list) return this.#collectPage(call);
    const owners = Object.values(path);
    if (operation.id === this.#remove) {
      const id = owners.pop();
      if (id === undefined || valueAtPath(call.responseJson, 'deleted') !== true) return [];
      const { after, ended } = exchange;
      // The order of an overlapping deletion and creation is unknown.
      if (this.#isCreated(owners, id, exchange, exchange)) this.#deletedBelow(owners).delete(id);
      else this.#deletedBelow(owners).set(id, { after, ended, by: exchange.id });
    } else if (mayHaveSucceeded(call)) {
      // The call may create the object again under the same id: a file can be attached again.
      for (const id of restoredIds(call)) this.#recordCreation(owners, id, exchange);
    }
    return [];
  }

  outside({ exchange, target, owners, deletes }: OutsideCall): void {
    if (!deletes) this.#recordCreation(owners, target, exchange);
  }

  finish(): readonly PageAfterDeletion[] {
    return this.#deferred.finish();
  }

  #recordCreation(owners: readonly string[], id: string, creation: TraceSpan): void {
    this.#deletedBelow(owners).delete(id);
    this.#creations.note(JSON.stringify([...owners, id]), creation);
  }

  #isCreated(owners: readonly string[], id: string, since: TraceSpan, until: TraceSpan): boolean {
    return this.#creations.isChanged([JSON.stringify([...owners, id])], since, until);
  }

  #collectPage(call: Call): readonly PageAfterDeletion[] {
    if (call.responseJson === undefined) return [];
    const owners = Object.values(call.path);
    const deletions = [...this.#deletedBelow(owners).entries()].filter(([, span]) =>
      precedes(span, call.exchange),
    );
    if (deletions.length === 0) return [];
    const pageWith = (counted: typeof deletions): PageAfterDeletion => ({
      call,
      deleted: new Map(counted.map(([id, { by }]) => [id, by])),
      exchanges: [call.exchange],
    });
    const page = pageWith(deletions);
    if (arrayAt(call.responseJson, 'data').every((one) => !page.deleted.has(textAt(one, 'id') ?? '')))
      return [page];
    // A deleted object may have been created again by a call that is still in flight.
    this.#deferred.add(() => {
      const lasting = deletions.filter(([id, span]) => !this.#isCreated(owners, id, span, call.exchange));
      return lasting.length === 0 ? null : pageWith(lasting);
    });
    return [];
  }

  #deletedBelow(owners: readonly string[]): LruMap<TraceSpan & { readonly by: string }> {
    return this.#deleted.at(JSON.stringify(owners), () => new LruMap(MAX_OBJECTS));
  }
}
