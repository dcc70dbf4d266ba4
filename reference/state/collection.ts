/** Maximum number of deleted objects whose positions are remembered, because a cursor may name them. */
const MAX_REMEMBERED = 10_000;

/**
 * Calls `create`; if it throws, deletes what it added to the collections: the client never learns those ids. `create`
 * must be synchronous, so that no object of a concurrent request is deleted too.
 */
export function createOrUndo<T>(
  collections: readonly Collection<{ readonly id: string }>[],
  create: () => T,
): T {
  const sizes = collections.map(({ size }) => size);
  try {
    return create();
  } catch (error) {
    for (const [n, collection] of collections.entries())
      for (const { id } of collection.values().slice(sizes[n])) collection.delete(id);
    throw error;
  }
}

/** Objects of one kind by id, in the order of their creation. */
export class Collection<T extends { readonly id: string }> {
  readonly #items = new Map<string, T>();
  readonly #positions = new Map<string, number>();
  readonly #deleted: string[] = [];
  #next = 0;

  add(item: T): T {
    this.#items.set(item.id, item);
    this.#positions.set(item.id, this.#next);
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
    if (oldest !== undefined && !this.#items.has(oldest)) this.#positions.delete(oldest);
    return true;
  }

  /** Oldest first. */
  values(): T[] {
    return [...this.#items.values()];
  }

  get size(): number {
    return this.#items.size;
  }

  /** Returns the position in the order of creation, even of a recently deleted object; undefined for an unknown id. */
  positionOf(id: string): number | undefined {
    return this.#positions.get(id);
  }
}
