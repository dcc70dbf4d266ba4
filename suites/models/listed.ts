import type { Json } from '../../exchange/body.ts';
import { precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { list, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import type { Evidence, Selector } from '../../judge/requirement.ts';
import { mayHaveWorked } from '../../judge/selectors/relations.ts';

/** A model of a list that had ended before the model was asked for. */
export interface ListedModel extends Evidence {
  readonly listed: Json;
  readonly retrieved: Call;
}

/** Models that are listed and then retrieved, and that this trace does not delete. */
export function models(): Selector<ListedModel> {
  return {
    operations: ['retrieveModel', 'listModels', 'deleteModel'],
    variant: null,
    collect: () => {
      const known = new Keyed<{ readonly element: Json; readonly page: Call }>();
      return {
        call: (call) => {
          const id = call.path['model'];
          if (id === undefined) {
            for (const element of list(call.answer, 'data')) {
              const name = text(element, 'id');
              if (name !== undefined) known.set(name, { element, page: call });
            }
            return [];
          }
          if (call.operation.id === 'deleteModel') {
            if (mayHaveWorked(call)) known.delete(id);
            return [];
          }
          const found = known.get(id);
          if (found === undefined || !precedes(found.page.exchange, call.exchange)) return [];
          const exchanges = [found.page.exchange, call.exchange];
          return [{ listed: found.element, retrieved: call, exchanges }];
        },
        finish: () => [],
      };
    },
  };
}
