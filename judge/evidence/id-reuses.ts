import type { Exchange } from '../../exchange/exchange.ts';
import type { Evidence, Selector } from '../requirements/requirement.ts';
import type { Call } from '../trace/call.ts';
import { textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import { inWords } from './calls.ts';
import { streamOf } from './streams.ts';

export interface IdReuse extends Evidence {
  /** The id in the last response. */
  readonly id: string;
  /** An earlier exchange with the same id; null if there is none. */
  readonly earlier: Exchange | null;
}

/**
 * Selects each response with an id, and an earlier response that has the same id. `idOf` returns the owners of the
 * object and its id: only ids of the same owners are compared.
 */
export function idReuses(
  operation: string | readonly string[],
  idOf: (call: Call) => readonly (string | undefined)[] = ownId,
): Selector<IdReuse> {
  return {
    operations: [operation].flat(),
    variant: null,
    needs: `an answer or stream of ${inWords(operation)} with an id`,
    collect: () => {
      const seen = new LruMap<Exchange>();
      return {
        call: (call) => {
          const ids = idOf(call);
          const id = ids.at(-1);
          if (id === undefined) return [];
          const key = JSON.stringify(ids);
          const earlier = seen.get(key) ?? null;
          seen.set(key, call.exchange);
          return [{ id, earlier, exchanges: earlier === null ? [call.exchange] : [earlier, call.exchange] }];
        },
      };
    },
  };
}

function ownId(call: Call): readonly (string | undefined)[] {
  const id = textAt(call.responseJson, 'id') ?? textAt(streamOf(call)?.chunks[0]?.data, 'id');
  return [...Object.values(call.path), id];
}
