import { callsOperation, setValue } from '../vocabulary/changes.ts';
import { inEachExchange, withResponseJson } from '../vocabulary/exchanges.ts';
import type { EquivalentMutant, Exchange } from '../vocabulary/types.ts';

/** A request for an alias has the dated model in its response. */
export const mutants: readonly EquivalentMutant[] = [
  {
    ...inEachExchange('models that are retrieved by a longer name', (exchange: Exchange) =>
      callsOperation(exchange, 'retrieveModel')
        ? withResponseJson(
            exchange,
            setValue('/id', (id) => `${id}-0613`),
          )
        : exchange,
    ),
    blinds: true,
  },
];
