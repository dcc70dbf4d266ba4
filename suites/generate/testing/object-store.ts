import type { Json } from '../../../exchange/http/body.ts';
import type { RequestSketch, ResponseSketch } from '../../../judge/testing/trace-builder.ts';

type Item = { readonly id: string; readonly created_at: number } & Readonly<Record<string, Json>>;

/** Objects in the order of their creation, listed as the specification describes. */
export class ObjectStore {
  #items: Item[] = [];
  /** Positions of deleted objects stay, so that cursors remain valid. */
  readonly #places = new Map<string, number>();
  #next = 0;

  add(item: Item): ResponseSketch {
    const known = this.#items.find(({ id }) => id === item.id);
    if (known !== undefined) return { json: known };
    this.#items.push(item);
    this.#places.set(item.id, this.#next++);
    return { json: item };
  }

  change(id: string, fields: Readonly<Record<string, Json>>): ResponseSketch {
    this.#items = this.#items.map((item) => (item.id === id ? { ...item, ...fields } : item));
    return this.find(id);
  }

  find(id: string): ResponseSketch {
    const found = this.#items.find((item) => item.id === id);
    return found === undefined ? { status: 404, json: { error: {} } } : { json: found };
  }

  remove(id: string, object: string): ResponseSketch {
    const found = this.find(id);
    if (found.status === 404) return found;
    this.#items = this.#items.filter((item) => item.id !== id);
    return { json: { id, object, deleted: true } };
  }

  page({ query = {} }: RequestSketch): ResponseSketch {
    const { limit = '20', order = 'desc', after, before } = query;
    const place = (id: string): number => (this.#places.get(id) ?? 0) * (order === 'asc' ? 1 : -1);
    const fits = this.#items
      .filter(({ id }) => after === undefined || place(id) > place(after))
      .filter(({ id }) => before === undefined || place(id) < place(before))
      .sort((a, b) => place(a.id) - place(b.id));
    const isBack = before !== undefined && after === undefined;
    const data = isBack ? fits.slice(-Number(limit)) : fits.slice(0, Number(limit));
    return {
      json: {
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
        has_more: fits.length > data.length,
      },
    };
  }
}
