/** A request by method and path, without its query. */
export interface CalledPath {
  readonly method: string;
  readonly path: string;
}

/** Calls that are named of a target that died. */
const NAMED = 20;

/** Calls that are under way, and those that ended without an answer since the last answer of the target. */
export class UnansweredCalls {
  readonly #open = new Set<CalledPath>();
  readonly #silent: CalledPath[] = [];

  /** Number of calls in a row without an answer. */
  get silent(): number {
    return this.#silent.length;
  }

  /** A call begins; the function returned takes how it ended. `target` is path and query. */
  begin({
    method,
    target,
  }: {
    readonly method: string;
    readonly target: string;
  }): (end: 'answered' | 'silent') => void {
    const call = { method, path: target.split('?', 1)[0] ?? target };
    this.#open.add(call);
    return (end) => {
      this.#open.delete(call);
      if (end === 'answered') this.#silent.length = 0;
      else this.#silent.push(call);
    };
  }

  /** All of them, those without an answer first. */
  list(): readonly CalledPath[] {
    return [...this.#silent, ...this.#open].slice(0, NAMED);
  }
}
