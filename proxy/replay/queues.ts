import { digestHalves, type Fingerprint } from '../../exchange/matching/fingerprint.ts';
import { NumberTable } from './number-table.ts';

/**
 * Queues of recordings (numbers from 0 on): first in, first out among those of one match key, separately for each lane.
 * A queue is identified by the number of its first recording.
 */
export class Queues {
  readonly #byKey: NumberTable;
  readonly #byFingerprint: NumberTable;
  /**
   * For each recording, side by side because they are read together: its queue, and the next one in it; for each queue also its
   * last one, and the one that is due without a lane. Stored as the number plus one; 0 for none.
   */
  readonly #lines: Uint32Array;
  /** The recording that is due, by lane and queue; -1 where all have been taken. */
  readonly #lanes = new Map<string, Map<number, number>>();

  constructor(count: number) {
    this.#byKey = new NumberTable(count);
    this.#byFingerprint = new NumberTable(count);
    this.#lines = new Uint32Array(WIDTH * count);
  }

  /** Appends a recording to its queue. All recordings are added before the first one is taken. */
  add(recording: number, key: string, fingerprint: Fingerprint | null): void {
    const queue = this.#byKey.add(recording, digestHalves(key));
    const lines = this.#lines;
    lines[WIDTH * recording + QUEUE] = queue + 1;
    if (queue === recording) lines[WIDTH * queue + DUE] = recording + 1;
    else lines[WIDTH * this.#at(queue, LAST) + BEHIND] = recording + 1;
    lines[WIDTH * queue + LAST] = recording + 1;
    if (fingerprint !== null) this.#byFingerprint.add(recording, fingerprint);
  }

  /** The queue of a key, or -1. */
  ofKey(key: string): number {
    return this.#byKey.find(digestHalves(key));
  }

  /** The queue of a recording that has this fingerprint, or -1. */
  ofFingerprint(fingerprint: Fingerprint): number {
    const recording = this.#byFingerprint.find(fingerprint);
    return recording === -1 ? -1 : this.#at(recording, QUEUE);
  }

  /** Takes the recording that is due; where all have been taken, -1 or (with `repeat-last`) the last one again. */
  take(queue: number, lane: string | null, whenExhausted: 'none' | 'repeat-last'): number {
    const due = this.#due(queue, lane);
    if (due === -1) return whenExhausted === 'repeat-last' ? this.#at(queue, LAST) : -1;
    const behind = this.#at(due, BEHIND);
    if (lane === null) this.#lines[WIDTH * queue + DUE] = behind + 1;
    else this.#lane(lane).set(queue, behind);
    return due;
  }

  /** All recordings of a queue, in order. */
  *recordings(queue: number): Generator<number> {
    for (let at = queue; at !== -1; at = this.#at(at, BEHIND)) yield at;
  }

  /**
   * The next recording of a queue; a lane that has taken none begins at the first, independently of other
   * lanes.
   */
  #due(queue: number, lane: string | null): number {
    if (lane === null) return this.#at(queue, DUE);
    return this.#lanes.get(lane)?.get(queue) ?? queue;
  }

  /** One of the numbers of a recording, by its place below; -1 for none. */
  #at(recording: number, which: number): number {
    return (this.#lines[WIDTH * recording + which] ?? 0) - 1;
  }

  /** The positions of a lane, which begins with its first request. */
  #lane(name: string): Map<number, number> {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane = new Map<number, number>();
    this.#lanes.set(name, lane);
    return lane;
  }
}

/** Places of the numbers of a recording in its group of `WIDTH` elements. */
const QUEUE = 0;
const BEHIND = 1;
const LAST = 2;
const DUE = 3;
const WIDTH = 4;
