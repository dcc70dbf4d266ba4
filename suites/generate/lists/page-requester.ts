import { valueAt } from '../../../drive/scenario/call-result.ts';
import type { CallInput, ScenarioContext } from '../../../drive/scenario/scenario.ts';
import type { ListRow } from './rows.ts';
import type { ListOrder } from './selectors/page.ts';

/** Ids of the owners of a list, by the names of the path parameters. */
export type ListPath = Readonly<Record<string, string>>;
/** Query of a request for a page: `limit`, `order`, cursors and filters. */
export type ListQuery = NonNullable<CallInput['query']>;

/** The result of a request for a page. */
interface Shown {
  /** Ids of the elements, in the order of the page. */
  readonly ids: readonly string[];
  /** Whether the response says that another page follows. */
  readonly goesOn: boolean;
}

/** A walk ends after this many pages, so that a list which never ends cannot block a scenario. */
const MOST_PAGES = 20;

/** Asks for pages of one list. */
export class PageRequester {
  readonly row: ListRow;
  readonly #context: ScenarioContext;
  readonly #path: ListPath;

  constructor(context: ScenarioContext, row: ListRow, path: ListPath) {
    this.#context = context;
    this.row = row;
    this.#path = path;
  }

  /** Orders to ask for; a list that has none is asked without. */
  get orders(): readonly ListQuery[] {
    return this.row.traits.order
      ? [{ order: 'asc' satisfies ListOrder }, { order: 'desc' satisfies ListOrder }]
      : [{}];
  }

  async page(query: ListQuery = {}, input: CallInput = {}): Promise<Shown> {
    const { operation, variant } = this.row;
    const form = variant.name === 'only' ? {} : { variant: variant.name };
    const { json } = await this.#context.call(operation.id, { path: this.#path, query, ...form, ...input });
    const data = valueAt(json, '/data');
    const ids = (Array.isArray(data) ? data : []).map((element) => valueAt(element, '/id'));
    return { ids: ids.filter((id) => typeof id === 'string'), goesOn: valueAt(json, '/has_more') === true };
  }

  /** From page to page to the end, and one page further; or until all of these were shown. */
  async walk(query: ListQuery, until: readonly string[] = []): Promise<void> {
    const wanted = new Set(until);
    let cursor = {};
    for (let n = 0; n < MOST_PAGES; n++) {
      const { ids } = await this.page({ ...query, ...cursor });
      const last = ids.at(-1);
      for (const id of ids) wanted.delete(id);
      if (last === undefined || (until.length > 0 && wanted.size === 0)) return;
      cursor = { after: last };
    }
  }
}
