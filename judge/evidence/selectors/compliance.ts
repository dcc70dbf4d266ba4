// Requests that leave the model no choice, in a trace that may show that the target can carry them out.
import { numberOf } from '../../partial/earliest.ts';
import type { Collector, Evidence, Selector } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';

/** Evidence of a request that the target has to comply with, with what the rest of the trace shows. */
export type WithCompliance<E extends Evidence> = E & {
  /** Whether the target has complied with a request of this kind somewhere in the trace. */
  readonly isCompliedElsewhere: boolean;
};

/** At most so many responses that do not comply are held until the end of the trace. */
const HELD = 50;

/**
 * The evidence of a selector, where what does not comply waits for the end of the trace: a target that has complied
 * once shows that it enforces such requests.
 */
export function withCompliance<E extends Evidence>(
  selector: Selector<E>,
  complies: (evidence: E) => boolean,
): Selector<WithCompliance<E>> {
  const { operations, variant } = selector;
  return {
    operations,
    variant,
    around: selector,
    collect: () => new ComplianceCollector(selector.collect(), complies),
  };
}

class ComplianceCollector<E extends Evidence> implements Collector<WithCompliance<E>> {
  readonly #inner: Collector<E>;
  readonly #complies: (evidence: E) => boolean;
  /** Of the exchanges with the lowest numbers. */
  readonly #held: E[] = [];
  #hasComplied = false;

  constructor(inner: Collector<E>, complies: (evidence: E) => boolean) {
    this.#inner = inner;
    this.#complies = complies;
  }

  call(call: Call): readonly WithCompliance<E>[] {
    return this.#sort([...this.#inner.call(call)]);
  }

  /** Evidence that does not comply, supposed that the target complies elsewhere, and supposed that it does not. */
  finish(): readonly WithCompliance<E>[] {
    const last = this.#sort([...(this.#inner.finish?.() ?? [])]);
    const supposed = [true, false].flatMap((holds) =>
      this.#held.map((one) => ({
        ...one,
        isCompliedElsewhere: holds,
        supposing: { holds, isSoHere: holds === this.#hasComplied },
      })),
    );
    return [...last, ...supposed];
  }

  /** Gives what complies, and holds the rest. */
  #sort(found: readonly E[]): readonly WithCompliance<E>[] {
    const complying = found.filter(this.#complies);
    if (complying.length > 0) this.#hasComplied = true;
    for (const one of found) if (!complying.includes(one)) this.#hold(one);
    return complying.map((one) => ({ ...one, isCompliedElsewhere: true, showsCompliance: true }));
  }

  #hold(evidence: E): void {
    this.#held.push(evidence);
    this.#held.sort((a, b) => numberOfLast(a) - numberOfLast(b));
    if (this.#held.length > HELD) this.#held.pop();
  }
}

function numberOfLast({ exchanges }: Evidence): number {
  return numberOf(exchanges.at(-1)?.id ?? '');
}
