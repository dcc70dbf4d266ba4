import { type Fingerprint, halves } from '../exchange/fingerprint.ts';
import { NumberTable } from './number-table.ts';

/**
 * Recordings (numbers from 0 on) in line for their turn: first in, first out among those of one match key, in each lane for
 * itself. A queue goes by the number of its first recording.
 */
export class Queues {
  readonly #byKey: NumberTable;
  readonly #byFingerprint: NumberTable;
  /** Of each recording: its queue, and the one behind it; a number and one, 0 where there is none. */
  readonly #queues: Uint32Array;
  readonly #behind: Uint32Array;
  /** Of each queue: its last, and the next one due without a lane, which is nearly always. */
  readonly #last: Uint32Array;
  readonly #next: Uint32Array;
  /** The next one due by lane and queue. */
  readonly #lanes = new Map<string, Map<number, number>>();

  constructor(count: number) {
    this.#byKey = new NumberTable(count);
    this.#byFingerprint = new NumberTable(count);
    this.#queues = new Uint32Array(count);
    this.#behind = new Uint32Array(count);
    this.#last = new Uint32Array(count);
    this.#next = new Uint32Array(count);
  }

  /** Puts a recording at the end of its queue. */
  add(recording: number, key: string, fingerprint: Fingerprint | null): void {
    const queue = this.#byKey.add(recording, halves(key));
    this.#queues[recording] = queue + 1;
    if (queue === recording) this.#next[queue] = recording + 1;
    else this.#behind[(this.#last[queue] ?? 0) - 1] = recording + 1;
    this.#last[queue] = recording + 1;
    if (fingerprint !== null) this.#byFingerprint.add(recording, fingerprint);
  }

  /** The queue of a key, or -1. */
  ofKey(key: string): number {
    return this.#byKey.find(halves(key));
  }

  /** The queue of a recording that has this fingerprint, or -1. */
  ofFingerprint(fingerprint: Fingerprint): number {
    const recording = this.#byFingerprint.find(fingerprint);
    return recording === -1 ? -1 : (this.#queues[recording] ?? 0) - 1;
  }

  /** The recording that is due, which is then taken; where all were, -1 or (with `repeatLast`) the last one again. */
  take(queue: number, lane: string | null, repeatLast: boolean): number {
    const due = this.#due(queue, lane);
    if (due === 0) return repeatLast ? (this.#last[queue] ?? 0) - 1 : -1;
    const behind = this.#behind[due - 1] ?? 0;
    if (lane === null) this.#next[queue] = behind;
    else this.#lane(lane).set(queue, behind);
    return due - 1;
  }

  /** All recordings of a queue. */
  *recordings(queue: number): Generator<number> {
    for (let at = queue + 1; at !== 0; at = this.#behind[at - 1] ?? 0) yield at - 1;
  }

  #due(queue: number, lane: string | null): number {
    if (lane === null) return this.#next[queue] ?? 0;
    return this.#lanes.get(lane)?.get(queue) ?? queue + 1;
  }

  #lane(name: string): Map<number, number> {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane = new Map<number, number>();
    this.#lanes.set(name, lane);
    return lane;
  }
}
