import type { Json } from '../../../exchange/body.ts';
import type { Call } from '../../../judge/call.ts';
import { get, isObject } from '../../../judge/json.ts';
import type { Behaviour, Evidence, Selector } from '../../../judge/requirement.ts';
import { mayHaveWorked } from '../../../judge/selectors/relations.ts';
import { Removals, type Span } from '../lists/removals.ts';

const BEGINNING: Span = { after: 0, ended: 0 };
/** So much evidence that accuses waits for the end of the trace; the rest is lost. */
const WAITING = 64;

/** Files and stores that were deleted. What becomes of their ids in other objects is not said. */
export class Losses {
  readonly #lost = new Removals();

  note(call: Call): void {
    const id = Object.values(call.path).at(-1);
    if (id !== undefined && mayHaveWorked(call)) this.#lost.note(id, call.exchange);
  }

  /** Whether a value names something whose deletion began before `until` was over. */
  touches(value: Json | undefined, until: Span): boolean {
    return this.#lost.touched(textsIn(value), BEGINNING, until);
  }
}

/** Evidence without that which accuses and names in `file_ids` of its earlier answer a file that is deleted. */
export function withoutLostFiles<E extends Evidence & { readonly before: Call; readonly after: Call }>(
  selector: Selector<E>,
  check: Behaviour<E>['check'],
): Selector<E> {
  const { part: _, ...whole } = selector;
  return {
    ...whole,
    operations: [...selector.operations, 'deleteFile'],
    everyVariant: [...(selector.everyVariant ?? []), 'deleteFile'],
    collect: () => {
      const inner = selector.collect();
      const lost = new Losses();
      let waiting: E[] = [];
      const isWhole = ({ before, after }: E): boolean => {
        const told = [get(before.answer, 'file_ids') ?? null, get(before.asked, 'file_id') ?? null];
        return !lost.touches(told, after.exchange);
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
        finish: () => [...sifted(inner.finish()), ...waiting.filter(isWhole)],
      };
    },
  };
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
