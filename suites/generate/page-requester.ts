import { valueAt } from '../../drive/scenario/call-result.ts';
import type { CallInput, ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { ListRow } from './lists.ts';

export type ListPath = Readonly<Record<string, string>>;
export type ListQuery = NonNullable<CallInput['query']>;

/** Maximum number of pages of a walk, so that an endless list cannot keep a scenario busy. */
const MAX_PAGES = 20;

export class PageRequester {
  readonly row: ListRow;
  readonly #context: ScenarioContext;
  readonly #path: ListPath;

  constructor(context: ScenarioContext, row: ListRow, path: ListPath) {
    this.#context = context;
    this.row = row;
    this.#path = path;
  }

  get orders(): readonly ListQuery[] {
    return this.row.traits.order ? [{ order: 'asc' }, { order: 'desc' }] : [{}];
  }

  /** Returns the ids of the elements of the page. */
  async requestPage(query: ListQuery = {}, input: CallInput = {}): Promise<readonly string[]> {
    const { operation, variant, isVersioned } = this.row;
    const inVariant = isVersioned && variant.name !== 'only' ? { variant: variant.name } : {};
    const { json } = await this.#context.call(operation.id, {
      path: this.#path,
      query,
      ...inVariant,
      ...input,
    });
    const data = valueAt(json, '/data');
    const ids = (Array.isArray(data) ? data : []).map((element) => valueAt(element, '/id'));
    return ids.filter((id) => typeof id === 'string');
  }

  /** Requests one page after the other until a page is empty, or all ids of `until` were shown; at most `MAX_PAGES`. */
  async walk(query: ListQuery, until: readonly string[] = []): Promise<void> {
    const wanted = new Set(until);
    let cursor = {};
    for (let n = 0; n < MAX_PAGES; n++) {
      const ids = await this.requestPage({ ...query, ...cursor });
      const last = ids.at(-1);
      for (const id of ids) wanted.delete(id);
      if (last === undefined || (until.length > 0 && wanted.size === 0)) return;
      cursor = { after: last };
    }
  }
}
