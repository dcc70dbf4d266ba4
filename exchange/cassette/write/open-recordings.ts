import type { Recording } from './recording.ts';

/**
 * The recordings that have not ended. Kept in slots that are used again and not in a Set: a Set allocates its table anew after
 * so many deletions, and each old table keeps ended recordings in memory until the next full collection.
 */
export class OpenRecordings {
  readonly #slots: (Recording | null)[] = [];
  readonly #free: number[] = [];

  /** Gives the slot, for `remove`. */
  add(recording: Recording): number {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = recording;
    return slot;
  }

  remove(slot: number, recording: Recording): void {
    if (this.#slots[slot] !== recording) return;
    this.#slots[slot] = null;
    this.#free.push(slot);
  }

  *[Symbol.iterator](): Generator<Recording> {
    for (const recording of this.#slots) if (recording !== null) yield recording;
  }
}
