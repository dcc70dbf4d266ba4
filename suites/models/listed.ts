import { follow, LruMap, precedes } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Exchange, Json, Selector } from '../vocabulary/types.ts';

/** An operation that only a model can answer. */
const ANSWERING = 'createChatCompletion';

/**
 * A model in a list that had arrived before the model was requested: both show the same model, unless it was
 * deleted in between.
 */
export interface ListedModel extends Evidence {
  /** The element of the list. */
  readonly listed: Json;
  /** A retrieval of the same model, sent after the list had arrived. */
  readonly retrieved: Call;
}

/** A list of models that was requested after a model had answered. */
export interface ListAfterAnswer extends Evidence {
  readonly json: Json;
  /** A request that a model has answered. */
  readonly answered: Exchange;
}

/** Lists of models that were requested after a model had answered, so that some model is available. */
export function listsAfterAnswers(): Selector<ListAfterAnswer> {
  return follow(['listModels', ANSWERING], () => {
    let answered: Exchange | null = null;
    return ({ operation, exchange, responseClass, responseJson: json }) => {
      if (operation.id !== 'listModels') {
        if (responseClass === 'accepted') answered ??= exchange;
        return [];
      }
      if (json === undefined || answered === null || !precedes(answered, exchange)) return [];
      return [{ json, answered, exchanges: [answered, exchange] }];
    };
  });
}

/**
 * Models that are listed and then retrieved, and that this trace does not delete. A retrieval that was sent before the list
 * had arrived is not evidence.
 */
export function listedModels(): Selector<ListedModel> {
  return follow(['retrieveModel', 'listModels', 'deleteModel'], () => {
    const known = new LruMap<{ readonly element: Json; readonly page: Call }>();
    return (call) => {
      const id = call.path['model'];
      if (id === undefined) {
        for (const element of arrayAt(call.responseJson, 'data')) {
          const name = textAt(element, 'id');
          if (name !== undefined) known.set(name, { element, page: call });
        }
        return [];
      }
      if (call.operation.id === 'deleteModel') {
        if (mayHaveSucceeded(call)) known.delete(id);
        return [];
      }
      const found = known.get(id);
      if (found === undefined || !precedes(found.page.exchange, call.exchange)) return [];
      const exchanges = [found.page.exchange, call.exchange];
      return [{ listed: found.element, retrieved: call, exchanges }];
    };
  });
}
