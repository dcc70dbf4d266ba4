import type { Call } from './call.ts';
import type { Choice, Collector, Evidence } from './requirement.ts';
import type { ChoiceVerdict } from './verdict.ts';

/** How many alternatives of one choice are told apart. */
const KEPT = 20;

interface Open {
  readonly choice: Choice<Evidence>;
  readonly collector: Collector<Evidence>;
  readonly taken: Set<string>;
}

/** What a target does at each point that the specification leaves open. A choice never fails, nor does it stop a judge. */
export class ChoiceRegister {
  readonly #open: readonly Open[];
  readonly #byOperation = new Map<string, Open[]>();

  constructor(choices: readonly Choice<Evidence>[]) {
    this.#open = choices
      .map((choice) => ({ choice, collector: choice.on.collect(), taken: new Set<string>() }))
      .sort((a, b) => (a.choice.id < b.choice.id ? -1 : 1));
    for (const open of this.#open) {
      for (const operation of open.choice.on.operations) {
        this.#byOperation.set(operation, [...(this.#byOperation.get(operation) ?? []), open]);
      }
    }
  }

  call(call: Call): void {
    for (const open of this.#byOperation.get(call.operation.id) ?? []) {
      take(open, open.collector.call(call));
    }
  }

  finish(): ChoiceVerdict[] {
    return this.#open.map((open) => {
      take(open, open.collector.finish());
      const { id, spec, says } = open.choice;
      return { id, spec, says, taken: [...open.taken].sort(), consistent: open.taken.size < 2 };
    });
  }
}

function take({ choice, taken }: Open, evidence: Iterable<Evidence>): void {
  for (const one of evidence) {
    const alternative = choice.taken(one);
    if (alternative !== null && taken.size < KEPT) taken.add(alternative);
  }
}
