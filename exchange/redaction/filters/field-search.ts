import { NO_MATCH, PARTIAL_MATCH, type Pattern, type Tail } from '../patterns/pattern.ts';
import { beginningOfName, quotedNames } from './field-names.ts';
import { type Found, NOTHING_FOUND, type PlacedSearch, perhapsAt } from './found.ts';

/** Finds the fields with names of secrets, one after the other, in bytes in which other secrets are replaced meanwhile. */
export class FieldSearch implements PlacedSearch {
  readonly #field: Pattern;
  /** Where the names begin. */
  readonly #names: readonly number[];
  readonly #tail: Tail;
  /** Where the bytes end in what may be the beginning of a name; -1 where they do not. */
  readonly #beginning: number;
  /** Index of the name that is looked at. */
  #index = 0;

  /** A search for a field in these bytes; null where there is nothing to find. */
  static in(bytes: Uint8Array, tail: Tail, field: Pattern): FieldSearch | null {
    const names = quotedNames(bytes);
    const beginning = tail === 'open' ? beginningOfName(bytes) : -1;
    return names.length === 0 && beginning === -1 ? null : new FieldSearch(field, names, tail, beginning);
  }

  private constructor(field: Pattern, names: readonly number[], tail: Tail, beginning: number) {
    this.#field = field;
    this.#names = names;
    this.#tail = tail;
    this.#beginning = beginning;
  }

  /** The next one in these bytes that begins at an offset or later; those before have been changed. */
  next(bytes: Uint8Array, from: number): Found {
    for (; this.#index < this.#names.length; this.#index += 1) {
      const at = this.#names[this.#index] ?? 0;
      if (at < from) continue;
      const end = this.#field.match(bytes, at, this.#tail);
      if (end === PARTIAL_MATCH) return perhapsAt(at);
      if (end !== NO_MATCH) return { at, start: at, end, pattern: this.#field };
    }
    return this.#beginning < from ? NOTHING_FOUND : perhapsAt(this.#beginning);
  }
}
