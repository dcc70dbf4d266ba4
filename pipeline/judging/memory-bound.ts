import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type LruMapShrinker, lruMapShrinker } from '../../judge/trace/lru-map.ts';

/** Share of the limit that may be in use after garbage collection. Beyond it states are dropped, so that collections stay rare. */
const FILLED = 0.6;

/** Keeps the memory of a judge within a bound by dropping the least recently used states. */
export class MemoryBound {
  readonly #most: number;
  readonly #idle: number;
  readonly #collect: () => void;
  readonly #states: LruMapShrinker;
  /** Number of dropped states. */
  forgotten = 0;

  private constructor(most: number, idle: number, collect: () => void, states: LruMapShrinker) {
    this.#most = most;
    this.#idle = idle;
    this.#collect = collect;
    this.#states = states;
  }

  /** Opens a judge with `open` and bounds its memory. `most` in bytes. */
  static around<T>(most: number, open: () => T): { readonly made: T; readonly bound: MemoryBound } {
    // Set at run time and only for this thread: a process flag would require restarting Node.
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void; // as: the flag exposes it
    const states = lruMapShrinker();
    const made = open();
    collect();
    return { made, bound: new MemoryBound(most, heldBytes(), collect, states) };
  }

  /** Call it between exchanges: a single exchange may exceed the bound. */
  keep(): void {
    if (heldBytes() < this.#idle + this.#most) return;
    // Much of the measured memory may be garbage.
    this.#collect();
    if (heldBytes() < this.#idle + this.#most * FILLED) return;
    this.forgotten += this.#states.halve();
    this.#collect();
  }

  /** Releases the judge once its trace has ended, so that the thread may judge another one. */
  end(): void {
    this.#states.end();
  }
}

function heldBytes(): number {
  const { used_heap_size: heap, external_memory: outside } = getHeapStatistics();
  return heap + outside;
}
