import { Deferred, Timeline } from '../vocabulary/collecting.ts';
import { isObject, valueAtPath } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { BehaviourRequirement, Call, Evidence, Json, Selector, TraceSpan } from '../vocabulary/types.ts';

/**
 * The specification leaves open whether other objects keep the id of a deleted one, so the absence of that id is no
 * violation.
 */
export class DeletedObjects {
  readonly #deletions = new Timeline();

  note(call: Call): void {
    const id = Object.values(call.path).at(-1);
    if (id !== undefined && mayHaveSucceeded(call)) this.#deletions.note(id, call.exchange);
  }

  /** Whether a value contains the id of an object that may have been deleted by the end of `until`. */
  namesDeleted(value: Json | undefined, until: TraceSpan): boolean {
    return this.#deletions.isChanged(textsIn(value), null, until);
  }
}

/**
 * Drops evidence of a violation if its earlier call names a file, in `file_ids` or `file_id`, that may have been
 * deleted by the end of the later call.
 */
export function withoutDeletedFiles<E extends Evidence & { readonly before: Call; readonly after: Call }>(
  selector: Selector<E>,
  check: BehaviourRequirement<E>['check'],
): Selector<E> {
  const { part: _, ...others } = selector;
  return {
    ...others,
    around: selector,
    operations: [...selector.operations, 'deleteFile'],
    everyVariant: [...(selector.everyVariant ?? []), 'deleteFile'],
    collect: () => {
      const inner = selector.collect();
      const deletedObjects = new DeletedObjects();
      const deferred = new Deferred<E>();
      const isUntouched = ({ before, after }: E): boolean => {
        const ids = [
          valueAtPath(before.responseJson, 'file_ids') ?? null,
          valueAtPath(before.requestJson, 'file_id') ?? null,
        ];
        return !deletedObjects.namesDeleted(ids, after.exchange);
      };
      const sift = (candidates: Iterable<E>): E[] =>
        [...candidates].filter((evidence) => {
          if (check(evidence).length === 0) return true;
          deferred.add(() => (isUntouched(evidence) ? evidence : null));
          return false;
        });
      return {
        call: (call) => {
          if (call.operation.id !== 'deleteFile') return sift(inner.call(call));
          deletedObjects.note(call);
          return [];
        },
        finish: () => [...sift(inner.finish?.() ?? []), ...deferred.finish()],
      };
    },
  };
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
