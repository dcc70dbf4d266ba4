import type { Call } from './call.ts';
import { Gathering } from './gathering.ts';
import type { Choice, Evidence } from './requirement.ts';
import type { ChoiceVerdict } from './verdict.ts';

/** How many alternatives of one choice are told apart. */
const KEPT = 20;

interface Open {
  readonly choice: Choice<Evidence>;
  readonly taken: Set<string>;
}

/** What a target does at each point that the specification leaves open. A choice never fails, nor does it stop a judge. */
export class ChoiceRegister {
  readonly #open: readonly Open[];
  #gathering: Gathering;

  constructor(choices: readonly Choice<Evidence>[]) {
    this.#open = choices
      .map((choice) => ({ choice, taken: new Set<string>() }))
      .sort((a, b) => (a.choice.id < b.choice.id ? -1 : 1));
    this.#gathering = this.#gather();
  }

  call(call: Call): void {
    this.#gathering.call(call);
  }

  /** What follows is of another trace. */
  next(): void {
    this.#gathering.finish();
    this.#gathering = this.#gather();
  }

  finish(): ChoiceVerdict[] {
    this.#gathering.finish();
    return this.#open.map(({ choice, taken }) => {
      const { id, spec, says } = choice;
      return {
        id,
        spec,
        says,
        taken: [...taken].sort(),
        consistent: choice.several === true || taken.size < 2,
      };
    });
  }

  #gather(): Gathering {
    return new Gathering(
      this.#open.map((open) => ({
        on: open.choice.on,
        hear: (evidence) => take(open, evidence),
        deafen: (error) => confess(open, error),
      })),
    );
  }
}

function take(open: Open, evidence: Evidence): void {
  try {
    const alternative = open.choice.taken(evidence);
    if (alternative !== null && open.taken.size < KEPT) open.taken.add(alternative);
  } catch (error) {
    confess(open, error);
  }
}

function confess({ taken }: Open, error: unknown): void {
  taken.add(`defect of assay: ${error instanceof Error ? error.message : String(error)}`);
}
