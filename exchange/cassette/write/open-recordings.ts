import type { FilteredBytes } from '../journal/filtered-bytes.ts';

/** A recording that has not ended. */
export interface OpenRecording {
  /**
   * Searches what was kept before for the secrets that are known now. `streamOf`: the filter that the event stream of an exchange went
   * through anew, and goes on through. Throws CassetteError when the disk cannot be changed.
   */
  refilter(streamOf: (i: number) => FilteredBytes | null): void;
}

/**
 * The recordings that have not ended. Kept in slots that are used again and not in a Set: a Set allocates its table anew after
 * so many deletions, and each old table keeps ended recordings in memory until the next full collection.
 */
export class OpenRecordings {
  readonly #slots: (OpenRecording | null)[] = [];
  readonly #free: number[] = [];

  /** Adds a recording and returns its slot, which `remove` needs. */
  add(recording: OpenRecording): number {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = recording;
    return slot;
  }

  /** Frees a slot, unless it holds another recording by now. */
  remove(slot: number, recording: OpenRecording): void {
    if (this.#slots[slot] !== recording) return;
    this.#slots[slot] = null;
    this.#free.push(slot);
  }

  /** The recordings in the order of their slots. */
  *[Symbol.iterator](): Generator<OpenRecording> {
    for (const recording of this.#slots) if (recording !== null) yield recording;
  }
}
