import { Deferred, follow, LruMap, precedes, Timeline } from '../vocabulary/collecting.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { mayHaveSucceeded } from '../vocabulary/selectors.ts';
import type { Call, Collector, Evidence, Exchange, Json, Selector } from '../vocabulary/types.ts';

const MODEL_OPERATION = 'createChatCompletion';

export interface ListedModel extends Evidence {
  readonly listed: Json;
  /** The retrieval, sent after the list had arrived. */
  readonly retrieved: Call;
}

export interface ListAfterAnswer extends Evidence {
  readonly json: Json;
}

/** Lists of models that were requested after a model had responded, which shows that a model is available. */
export const listsAfterAnswers: Selector<ListAfterAnswer> = follow(
  ['listModels', MODEL_OPERATION],
  () => {
    let modelResponse: Exchange | null = null;
    return ({ operation, exchange, responseClass, responseJson: json }) => {
      if (operation.id !== 'listModels') {
        if (responseClass === 'accepted') modelResponse ??= exchange;
        return [];
      }
      if (json === undefined || modelResponse === null || !precedes(modelResponse, exchange)) return [];
      return [{ json, exchanges: [modelResponse, exchange] }];
    };
  },
  'a list of models that was requested after a response of a model',
);

interface Listing {
  readonly element: Json;
  readonly page: Call;
}

/** Several lists are kept, because a further list may arrive while a model is retrieved. */
const MAX_LISTS_PER_MODEL = 8;

/** A retrieval is paired with the latest list of its model that had arrived when the retrieval was sent. */
export const listedModels: Selector<ListedModel> = follow(
  ['retrieveModel', 'listModels', 'deleteModel'],
  () => new ListedModelCollector(),
  'a call of retrieveModel for a model that was listed before',
);

class ListedModelCollector implements Collector<ListedModel> {
  /** The latest lists by model id, the newest first. */
  readonly #listings = new LruMap<readonly Listing[]>();
  readonly #deletions = new Timeline();
  /** Failed retrievals, kept until the end of the trace: a deletion that ends later may explain them. */
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

  #isUndeleted({ retrieved, exchanges: [list] }: ListedModel): boolean {
    return !this.#deletions.isChanged([retrieved.path['model'] ?? ''], list ?? null, retrieved.exchange);
  }
}
