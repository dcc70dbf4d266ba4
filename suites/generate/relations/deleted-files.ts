// Ids of deleted files and stores. The specification does not say whether they stay in other objects, so a
// difference in them is not a violation.

import { isObject, valueAtPath } from '../../vocabulary/json.ts';
import { mayHaveSucceeded } from '../../vocabulary/selectors.ts';
import type { BehaviourRequirement, Call, Evidence, Json, Selector } from '../../vocabulary/types.ts';
import { RemovedElements, type TraceSpan } from '../lists/selectors/removals.ts';

/** A moment before the first exchange of every trace. */
const BEGINNING: TraceSpan = { after: 0, ended: 0 };
/** So much evidence that accuses waits for the end of the trace; the rest is lost. */
const WAITING = 64;

/** Files and stores that were deleted. The specification does not state the effect on their ids in other objects. */
export class DeletedFiles {
  readonly #lost = new RemovedElements();

  /** Records a call that may have deleted a file. */
  note(call: Call): void {
    const id = Object.values(call.path).at(-1);
    if (id !== undefined && mayHaveSucceeded(call)) this.#lost.note(id, call.exchange);
  }

  /** Whether a value names something whose deletion began before `until` was over. */
  touches(value: Json | undefined, until: TraceSpan): boolean {
    return this.#lost.touched(textsIn(value), BEGINNING, until);
  }
}

/** Evidence without that which accuses and names in `file_ids` of its earlier answer a file that is deleted. */
export function withoutDeletedFiles<E extends Evidence & { readonly before: Call; readonly after: Call }>(
  selector: Selector<E>,
  check: BehaviourRequirement<E>['check'],
): Selector<E> {
  const { part: _, ...whole } = selector;
  return {
    ...whole,
    around: selector,
    operations: [...selector.operations, 'deleteFile'],
    everyVariant: [...(selector.everyVariant ?? []), 'deleteFile'],
    collect: () => {
      const inner = selector.collect();
      const lost = new DeletedFiles();
      let waiting: E[] = [];
      const isWhole = ({ before, after }: E): boolean => {
        const shown = [
          valueAtPath(before.responseJson, 'file_ids') ?? null,
          valueAtPath(before.requestJson, 'file_id') ?? null,
        ];
        return !lost.touches(shown, after.exchange);
      };
      const sifted = (found: Iterable<E>): E[] => {
        const all = [...found];
        const accusing = all.filter((evidence) => check(evidence).length > 0);
        waiting = [...waiting, ...accusing].slice(0, WAITING);
        return all.filter((evidence) => !accusing.includes(evidence));
      };
      return {
        call: (call) => {
          if (call.operation.id !== 'deleteFile') return sifted(inner.call(call));
          lost.note(call);
          waiting = waiting.filter(isWhole);
          return [];
        },
        finish: () => [...sifted(inner.finish?.() ?? []), ...waiting.filter(isWhole)],
      };
    },
  };
}

/** All strings inside a JSON value; any of them may be the id of a file. */
function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
