import type { Exchange } from '../../exchange/exchange.ts';
import {
  type EquivalentMutant,
  inEachExchange,
} from '../../judge/mutation-testing/equivalent-mutants/equivalent-mutant.ts';
import { withResponseJson } from '../../judge/mutations/exchanges.ts';
import { callsOperation } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';

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
