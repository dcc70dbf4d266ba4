import { messageOf } from '../../schemas/error-message.ts';
import { alternativeNamed, type EvidenceListener } from '../requirements/catalogue.ts';
import { type Choice, type Evidence, REFUSED } from '../requirements/requirement.ts';
import { UnknownRequestError } from '../trace/call.ts';
import { FirstTexts, numberOf } from '../trace/timed.ts';
import type { ChoiceVerdict } from '../verdict/verdict.ts';

const KEPT = 20;

interface Open {
  readonly choice: Choice<Evidence>;
  readonly taken: FirstTexts;
}

/**
 * Records the behaviour of a target at each point that the specification leaves open. A choice never fails, and its
 * errors never stop the judge.
 */
export class ChoiceTracker {
  readonly #open: readonly Open[];
  readonly #permit: (exchange: string) => void;

  constructor(choices: readonly Choice<Evidence>[], permit: (exchange: string) => void = () => {}) {
    this.#permit = permit;
    this.#open = choices
      .map((choice) => ({ choice, taken: new FirstTexts(KEPT) }))
      .sort((a, b) => (a.choice.id < b.choice.id ? -1 : 1));
  }

  /** Returns one listener per choice, sorted by id of the choice. */
  listeners(): readonly EvidenceListener[] {
    return this.#open.map(
      (open): EvidenceListener => ({
        selector: open.choice.selector,
        receive: (evidence) => this.#take(open, evidence),
        // The permission of a choice holds in every part of the traffic.
        receiveForeign: (evidence) =>
          this.#take({ choice: open.choice, taken: new FirstTexts(KEPT) }, evidence),
        fail: (error) => reportDefect(open, error),
      }),
    );
  }

  #take(open: Open, evidence: Evidence): void {
    const alternative = take(open, evidence);
    const refused = alternative === REFUSED ? evidence.exchanges.at(-1) : undefined;
    if (refused !== undefined) this.#permit(refused.id);
  }

  /** Returns the alternatives taken; omits choices that the traffic does not show. */
  part() {
    return this.#open
      .filter(({ taken }) => taken.size > 0)
      .map(({ choice: { id }, taken }) => ({ id, taken: taken.part() }));
  }

  /** Merges another part; keeps the 20 alternatives of each choice that occurred first. */
  absorb(part: ReturnType<ChoiceTracker['part']>): void {
    const parts = new Map(part.map(({ id, taken }) => [id, taken]));
    for (const { choice, taken } of this.#open) taken.absorb(parts.get(choice.id) ?? []);
  }

  /** `pinned`: the only permitted alternative, by id of the choice. */
  verdicts(pinned: Readonly<Record<string, string>> = {}): ChoiceVerdict[] {
    return this.#open.map(({ choice, taken }) => {
      const { id, spec, says, usual } = choice;
      const only = pinned[id];
      const isOther = taken.shown.some(([alternative]) => alternativeNamed(choice, alternative) !== only);
      return {
        id,
        spec,
        says,
        taken: taken.shown.map(([alternative]) => alternative),
        exchanges: taken.shown.map(([, exchange]) => exchange),
        consistent: choice.several === true || taken.size < 2,
        ...(usual !== undefined && { usual }),
        ...(only !== undefined && isOther && { pinned: only }),
        ...(only !== undefined && !isOther && (taken.size > 0 ? { kept: only } : { unshown: only })),
      };
    });
  }
}

function take(open: Open, evidence: Evidence): string | null {
  try {
    const alternative = open.choice.taken(evidence);
    if (alternative !== null) open.taken.add(alternative, numberOf(evidence.exchanges.at(-1)?.id ?? ''));
    return alternative;
  } catch (error) {
    if (!(error instanceof UnknownRequestError)) reportDefect(open, error);
    return null;
  }
}

function reportDefect({ taken }: Open, error: unknown): void {
  taken.add(`defect of assay: ${messageOf(error)}`, 0);
}
