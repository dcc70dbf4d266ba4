import { messageOf } from '../../schemas/error-message.ts';
import { alternativeNamed, type EvidenceListener } from '../requirements/catalogue.ts';
import { type Choice, type Evidence, REFUSED } from '../requirements/requirement.ts';
import { UnknownRequestError } from '../trace/call.ts';
import { FirstTexts, numberOf } from '../trace/timed.ts';
import type { ChoiceVerdict } from '../verdict/verdict.ts';

/** Maximum number of alternatives kept per choice. */
const MAX_ALTERNATIVES = 20;

interface TrackedChoice {
  readonly choice: Choice<Evidence>;
  readonly taken: FirstTexts;
}

/** Records what a target does at each point that the specification leaves open. An error in a choice never stops the judge. */
export class ChoiceTracker {
  readonly #tracked: readonly TrackedChoice[];
  readonly #permit: (exchange: string) => void;

  constructor(choices: readonly Choice<Evidence>[], permit: (exchange: string) => void = () => {}) {
    this.#permit = permit;
    this.#tracked = choices
      .map((choice) => ({ choice, taken: new FirstTexts(MAX_ALTERNATIVES) }))
      .sort((a, b) => (a.choice.id < b.choice.id ? -1 : 1));
  }

  /** Returns one listener per choice, sorted by id of the choice. */
  listeners(): readonly EvidenceListener[] {
    return this.#tracked.map(
      (tracked): EvidenceListener => ({
        selector: tracked.choice.selector,
        receive: (evidence) => this.#take(tracked, evidence),
        // A refusal that a choice permits is permitted in every part of the traffic.
        receiveForeign: (evidence) =>
          this.#take({ choice: tracked.choice, taken: new FirstTexts(MAX_ALTERNATIVES) }, evidence),
        fail: (error) => reportDefect(tracked, error),
      }),
    );
  }

  #take(tracked: TrackedChoice, evidence: Evidence): void {
    const alternative = recordAlternative(tracked, evidence);
    const refused = alternative === REFUSED ? evidence.exchanges.at(-1) : undefined;
    if (refused !== undefined) this.#permit(refused.id);
  }

  /** Returns the alternatives taken; omits choices that the traffic does not show. */
  part() {
    return this.#tracked
      .filter(({ taken }) => taken.size > 0)
      .map(({ choice: { id }, taken }) => ({ id, taken: taken.part() }));
  }

  /** Merges another part; keeps the 20 alternatives of each choice that occurred first. */
  absorb(part: ReturnType<ChoiceTracker['part']>): void {
    const parts = new Map(part.map(({ id, taken }) => [id, taken]));
    for (const { choice, taken } of this.#tracked) taken.absorb(parts.get(choice.id) ?? []);
  }

  /** `pinned`: the only permitted alternative, by id of the choice. */
  verdicts(pinned: Readonly<Record<string, string>> = {}): ChoiceVerdict[] {
    return this.#tracked.map(({ choice, taken }) => {
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

function recordAlternative(tracked: TrackedChoice, evidence: Evidence): string | null {
  try {
    const alternative = tracked.choice.taken(evidence);
    if (alternative !== null) tracked.taken.add(alternative, numberOf(evidence.exchanges.at(-1)?.id ?? ''));
    return alternative;
  } catch (error) {
    if (!(error instanceof UnknownRequestError)) reportDefect(tracked, error);
    return null;
  }
}

function reportDefect({ taken }: TrackedChoice, error: unknown): void {
  taken.add(`defect of assay: ${messageOf(error)}`, 0);
}
