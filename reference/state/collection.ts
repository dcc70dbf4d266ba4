/** Maximum number of deleted objects whose positions are remembered, because a cursor may name them. */
const MAX_REMEMBERED = 10_000;

export class Collection<T extends { readonly id: string }> {
  readonly #items = new Map<string, T>();
  readonly #places = new Map<string, number>();
  readonly #deleted: string[] = [];
  #next = 0;

  add(item: T): T {
    this.#items.set(item.id, item);
    this.#places.set(item.id, this.#next);
    this.#next += 1;
    return item;
  }

  get(id: string): T | undefined {
    return this.#items.get(id);
  }

  delete(id: string): boolean {
    if (!this.#items.delete(id)) return false;
    this.#deleted.push(id);
    const oldest = this.#deleted.length > MAX_REMEMBERED ? this.#deleted.shift() : undefined;
    if (oldest !== undefined && !this.#items.has(oldest)) this.#places.delete(oldest);
    return true;
  }

  /** All objects, oldest first. */
  values(): T[] {
    return [...this.#items.values()];
  }

  get size(): number {
    return this.#items.size;
  }

  /** The ordinal of an object, even of a recently deleted one; undefined for an unknown id. */
  place(id: string): number | undefined {
    return this.#places.get(id);
  }
}
