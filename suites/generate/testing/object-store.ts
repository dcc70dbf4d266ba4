import type { Json } from '../../../exchange/http/body.ts';
import type { RequestSketch, ResponseSketch } from '../../../judge/testing/trace-builder.ts';

type Item = { readonly id: string; readonly created_at: number } & Readonly<Record<string, Json>>;

export class ObjectStore {
  #items: Item[] = [];
  /** Positions by id. Deleted objects keep their position, so that cursors remain valid. */
  readonly #positions = new Map<string, number>();
  #nextPosition = 0;

  add(item: Item): ResponseSketch {
    const known = this.#items.find(({ id }) => id === item.id);
    if (known !== undefined) return { json: known };
    this.#items.push(item);
    this.#positions.set(item.id, this.#nextPosition++);
    return { json: item };
  }

  change(id: string, fields: Readonly<Record<string, Json>>): ResponseSketch {
    this.#items = this.#items.map((item) => (item.id === id ? { ...item, ...fields } : item));
    return this.find(id);
  }

  find(id: string): ResponseSketch {
    const item = this.#items.find((one) => one.id === id);
    return item === undefined ? { status: 404, json: { error: {} } } : { json: item };
  }

  remove(id: string, object: string): ResponseSketch {
    const response = this.find(id);
    if (response.status === 404) return response;
    this.#items = this.#items.filter((item) => item.id !== id);
    return { json: { id, object, deleted: true } };
  }

  readPage({ query = {} }: RequestSketch): ResponseSketch {
    const { limit = '20', order = 'desc', after, before } = query;
    const position = (id: string): number => (this.#positions.get(id) ?? 0) * (order === 'asc' ? 1 : -1);
    const matching = this.#items
      .filter(({ id }) => after === undefined || position(id) > position(after))
      .filter(({ id }) => before === undefined || position(id) < position(before))
      .sort((a, b) => position(a.id) - position(b.id));
    const readsBackward = before !== undefined && after === undefined;
    const data = readsBackward ? matching.slice(-Number(limit)) : matching.slice(0, Number(limit));
    return {
      json: {
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
        has_more: matching.length > data.length,
      },
    };
  }
}
