import { Deferred, follow, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Exchange, Json, Selector } from '../vocabulary/types.ts';

/** An operation to which only a model can respond. */
const MODEL_OPERATION = 'createChatCompletion';

/**
 * A model in a list that had arrived before the model was requested: list and response show the same model, unless it
 * was deleted in between.
 */
export interface ListedModel extends Evidence {
  readonly listed: Json;
  /** A retrieval of the same model, sent after the list had arrived. */
  readonly retrieved: Call;
}

/** A list of models that was requested after a model had responded. */
export interface ListAfterAnswer extends Evidence {
  readonly json: Json;
  readonly answered: Exchange;
}

/** Lists of models that were requested after a model had responded, which shows that a model is available. */
export const listsAfterAnswers: Selector<ListAfterAnswer> = follow(
  ['listModels', MODEL_OPERATION],
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
  'a list of models that was requested after a response of a model',
);

interface Listing {
  readonly element: Json;
  readonly page: Call;
}

/** Several lists are kept, because others may arrive while a model is retrieved. */
const MAX_LISTS_PER_MODEL = 8;

/**
 * Models that are listed and then retrieved, and that this trace does not delete in between. A retrieval is compared
 * with the latest list that had arrived when it was sent, and with nothing if none had.
 */
export const listedModels: Selector<ListedModel> = follow(
  ['retrieveModel', 'listModels', 'deleteModel'],
  () => new ListedModelCollector(),
  'a call of retrieveModel for a model that was listed before',
);

class ListedModelCollector implements Collector<ListedModel> {
  /** The latest lists by model id, the last one first. */
  readonly #listings = new LruMap<readonly Listing[]>();
  readonly #deletions = new Timeline();
  /** Failed retrievals that a concurrent deletion may explain; the deletion can end after list and retrieval. */
  readonly #deferred = new Deferred<ListedModel>();

  call(call: Call): readonly ListedModel[] {
    const id = call.path['model'];
    if (id === undefined) this.#recordList(call);
    else if (call.operation.id === 'retrieveModel') return this.#pairWithList(id, call);
    else if (mayHaveSucceeded(call)) this.#deletions.note(id, call.exchange);
    return [];
  }

  finish(): readonly ListedModel[] {
    return this.#deferred.finish();
  }

  #recordList(page: Call): void {
    for (const element of arrayAt(page.responseJson, 'data')) {
      const id = textAt(element, 'id');
      if (id === undefined) continue;
      this.#listings.set(
        id,
        [{ element, page }, ...(this.#listings.get(id) ?? [])].slice(0, MAX_LISTS_PER_MODEL),
      );
    }
  }

  #pairWithList(id: string, retrieved: Call): readonly ListedModel[] {
    const listing = this.#listings.get(id)?.find(({ page }) => precedes(page.exchange, retrieved.exchange));
    if (listing === undefined) return [];
    const pair = {
      listed: listing.element,
      retrieved,
      exchanges: [listing.page.exchange, retrieved.exchange],
    } as const;
    if (retrieved.responseClass === 'accepted') return this.#isUndeleted(pair) ? [pair] : [];
    this.#deferred.add(() => (this.#isUndeleted(pair) ? pair : null));
    return [];
  }

  /** Whether no known deletion may have come between the list and the retrieval. */
  #isUndeleted({ retrieved, exchanges: [list] }: ListedModel): boolean {
    return !this.#deletions.isChanged([retrieved.path['model'] ?? ''], list ?? null, retrieved.exchange);
  }
}
