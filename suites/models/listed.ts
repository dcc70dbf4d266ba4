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
  return follow(
    ['listModels', ANSWERING],
    () => {
      let answered: Exchange | null = null;
      return ({ operation, exchange, responseClass, responseJson: json }) => {
        if (operation.id !== 'listModels') {
          if (responseClass === 'accepted') answered ??= exchange;
          return [];
        }
        if (json === undefined || answered === null || !precedes(answered, exchange)) return [];
        return [{ json, answered, exchanges: [answered, exchange] }];
      };
    },
    'a list of models that began after a model had answered',
  );
}

/** An element of a list of models, and the call that received it. */
interface Listing {
  readonly element: Json;
  readonly page: Call;
}

/** Lists that are kept of each model: those of others may arrive while it is retrieved. */
const KEPT_LISTS = 8;

/**
 * Models that are listed and then retrieved, and that this trace does not delete. A retrieval is compared with the latest
 * list that had arrived when it was sent, and with nothing where none had.
 */
export function listedModels(): Selector<ListedModel> {
  return follow(
    ['retrieveModel', 'listModels', 'deleteModel'],
    () => {
      /** By id, the latest list first. */
      const known = new LruMap<readonly Listing[]>();
      return (call) => {
        const id = call.path['model'];
        if (id === undefined) {
          for (const element of arrayAt(call.responseJson, 'data')) {
            const name = textAt(element, 'id');
            if (name === undefined) continue;
            known.set(name, [{ element, page: call }, ...(known.get(name) ?? [])].slice(0, KEPT_LISTS));
          }
          return [];
        }
        if (call.operation.id === 'deleteModel') {
          if (mayHaveSucceeded(call)) known.delete(id);
          return [];
        }
        const found = known.get(id)?.find(({ page }) => precedes(page.exchange, call.exchange));
        if (found === undefined) return [];
        const exchanges = [found.page.exchange, call.exchange];
        return [{ listed: found.element, retrieved: call, exchanges }];
      };
    },
    'a call of retrieveModel for a model that was listed before',
  );
}
