// Ids must not be given out twice: pairs each response with an earlier one that carries the same id.
import type { Exchange } from '../../../exchange/exchange.ts';
import type { Evidence, Selector } from '../../requirements/requirement.ts';
import { textAt } from '../json.ts';
import { LruMap } from '../lru-map.ts';
import { streamOf } from './streams.ts';

/** The id of one answer, and the earlier answer that has the same. */
export interface IdReuse extends Evidence {
  readonly id: string;
  readonly earlier: Exchange | null;
}

/**
 * The id of each response of an operation, or of the first chunk of a stream. Ids are compared below the same
 * owner only.
 */
export function idReuses(operation: string): Selector<IdReuse> {
  return {
    operations: [operation],
    variant: null,
    needs: `an answer or stream of ${operation} with an id`,
    collect: () => {
      const seen = new LruMap<Exchange>();
      return {
        call: (call) => {
          const id = textAt(call.responseJson, 'id') ?? textAt(streamOf(call)?.chunks[0]?.data, 'id');
          if (id === undefined) return [];
          const key = JSON.stringify([...Object.values(call.path), id]);
          const earlier = seen.get(key) ?? null;
          seen.set(key, call.exchange);
          return [{ id, earlier, exchanges: earlier === null ? [call.exchange] : [earlier, call.exchange] }];
        },
      };
    },
  };
}
