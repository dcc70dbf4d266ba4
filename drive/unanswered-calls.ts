import type { CallUnderWay } from '../exchange/note.ts';

/** Calls that are named of a target that died. */
const NAMED = 20;

/** A request that is about to be sent. */
interface StartedCall extends Pick<CallUnderWay, 'method' | 'exchange' | 'invalid'> {
  /** Path and query. */
  readonly target: string;
}

/** Calls that are under way, and those that ended without an answer since the last answer of the target. */
export class UnansweredCalls {
  readonly #open = new Set<CallUnderWay>();
  readonly #silent: CallUnderWay[] = [];

  /** Number of calls in a row without an answer. */
  get silent(): number {
    return this.#silent.length;
  }

  /** A call begins; the function returned takes how it ended. */
  begin({ target, ...rest }: StartedCall): (end: 'answered' | 'silent') => void {
    const call = { ...rest, path: target.split('?', 1)[0] ?? target };
    this.#open.add(call);
    return (end) => {
      this.#open.delete(call);
      if (end === 'answered') this.#silent.length = 0;
      else this.#silent.push(call);
    };
  }

  /** All of them, invalid requests first, which targets die of more often; among equals those without an answer. */
  list(): readonly CallUnderWay[] {
    const all = [...this.#silent, ...this.#open];
    const isInvalid = ({ invalid }: CallUnderWay) => invalid === true;
    return [...all.filter(isInvalid), ...all.filter((call) => !isInvalid(call))].slice(0, NAMED);
  }
}
