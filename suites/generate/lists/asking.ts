import { at } from '../../../drive/answer.ts';
import type { CallInput, Stage } from '../../../drive/scenario.ts';
import type { Order } from './page.ts';
import type { ListRow } from './rows.ts';

export type Path = Readonly<Record<string, string>>;
export type Query = NonNullable<CallInput['query']>;

/** What came of asking for a page. */
interface Shown {
  readonly ids: readonly string[];
  readonly goesOn: boolean;
}

const MOST_PAGES = 20;

/** Asks for pages of one list. */
export class Asking {
  readonly row: ListRow;
  readonly #stage: Stage;
  readonly #path: Path;

  constructor(stage: Stage, row: ListRow, path: Path) {
    this.#stage = stage;
    this.row = row;
    this.#path = path;
  }

  /** Orders to ask for; a list that has none is asked without. */
  get orders(): readonly Query[] {
    return this.row.traits.order
      ? [{ order: 'asc' satisfies Order }, { order: 'desc' satisfies Order }]
      : [{}];
  }

  async page(query: Query = {}, input: CallInput = {}): Promise<Shown> {
    const { operation, variant } = this.row;
    const form = variant.name === 'only' ? {} : { variant: variant.name };
    const { json } = await this.#stage.call(operation.id, { path: this.#path, query, ...form, ...input });
    const data = at(json, '/data');
    const ids = (Array.isArray(data) ? data : []).map((element) => at(element, '/id'));
    return {
      ids: ids.filter((id) => typeof id === 'string'),
      goesOn: at(json, '/has_more') === true,
    };
  }

  /** From page to page to the end, and one page further; or until all of these were shown. */
  async walk(query: Query, until: readonly string[] = []): Promise<void> {
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
