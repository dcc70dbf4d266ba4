import type { CallInFlight } from '../../exchange/note.ts';

export const MAX_NAMED_CALLS = 20;

/** `closed` by the target, which had accepted the connection; `silent`: no response for another reason. */
export type CallEnd = 'answered' | 'closed' | 'silent' | 'refused';

/**
 * Calls in flight, and calls that ended without a response since the last response of the target. Calls to a closed
 * port are left out, and so are calls that began after the target closed a connection: it may already have crashed.
 */
export class UnansweredCalls {
  readonly #inFlight = new Set<CallInFlight>();
  readonly #silentCalls: CallInFlight[] = [];
  #inFlightAtClosing: ReadonlySet<CallInFlight> | null = null;

  get silentCount(): number {
    return this.#silentCalls.length;
  }

  begin(call: CallInFlight): (end: CallEnd) => void {
    this.#inFlight.add(call);
    return (end) => {
      if (end === 'closed') this.#inFlightAtClosing ??= new Set(this.#inFlight);
      this.#inFlight.delete(call);
      if (end === 'answered') {
        this.#silentCalls.length = 0;
        this.#inFlightAtClosing = null;
      } else if (end !== 'refused' && this.#inFlightAtClosing?.has(call) !== false)
        this.#silentCalls.push(call);
    };
  }

  /** The calls without a response, at most `MAX_NAMED_CALLS`; invalid ones, likelier to cause a crash, come first. */
  list(): readonly CallInFlight[] {
    const inFlight = [...this.#inFlight].filter((call) => this.#inFlightAtClosing?.has(call) !== false);
    const all = [...this.#silentCalls, ...inFlight];
    const isInvalid = ({ invalid }: CallInFlight) => invalid === true;
    return [...all.filter(isInvalid), ...all.filter((call) => !isInvalid(call))].slice(0, MAX_NAMED_CALLS);
  }
}
