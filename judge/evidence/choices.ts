import { messageOf } from '../../schemas/error-message.ts';
import { alternativeNamed } from '../requirements/catalogue.ts';
import type { EvidenceListener } from '../requirements/evaluator.ts';
import { type Choice, type Evidence, REFUSED } from '../requirements/requirement.ts';
import { UnknownRequestError } from '../trace/call.ts';
import { FirstTexts } from '../trace/first-facts.ts';
import { numberOf } from '../trace/timed.ts';
import type { ChoiceVerdict } from '../verdict/verdict.ts';

const MAX_ALTERNATIVES = 20;

interface TrackedChoice {
  readonly choice: Choice<Evidence>;
  readonly alternatives: FirstTexts;
}

/**
 * An error in a choice counts as an alternative, and does not stop the judge; evidence whose request is unknown
 * (UnknownRequestError) shows none.
 */
export class ChoiceTracker {
  readonly #tracked: readonly TrackedChoice[];
  readonly #permit: (exchange: string) => void;

  constructor(choices: readonly Choice<Evidence>[], permit: (exchange: string) => void = () => {}) {
    this.#permit = permit;
    this.#tracked = choices
      .map((choice) => ({ choice, alternatives: new FirstTexts(MAX_ALTERNATIVES) }))
      .sort((a, b) => (a.choice.id < b.choice.id ? -1 : 1));
  }

  listeners(): readonly EvidenceListener[] {
    return this.#tracked.map(
      (tracked): EvidenceListener => ({
        selector: tracked.choice.selector,
        receive: (evidence) => this.#record(tracked, evidence),
        // A refusal that a choice permits is permitted in every part of the traffic.
        receiveForeign: (evidence) =>
          this.#record({ ...tracked, alternatives: new FirstTexts(MAX_ALTERNATIVES) }, evidence),
        fail: (error) => reportError(tracked, error),
      }),
    );
  }

  #record(tracked: TrackedChoice, evidence: Evidence): void {
    try {
      // A suite in JavaScript may return undefined.
      const alternative = tracked.choice.taken(evidence) ?? null;
      const last = evidence.exchanges.at(-1);
      if (alternative !== null) tracked.alternatives.add(alternative, numberOf(last?.id ?? ''));
      if (alternative === REFUSED && last !== undefined) this.#permit(last.id);
    } catch (error) {
      if (!(error instanceof UnknownRequestError)) reportError(tracked, error);
    }
  }

  part() {
    return this.#tracked
      .filter(({ alternatives }) => alternatives.size > 0)
      .map(({ choice: { id }, alternatives }) => ({ id, taken: alternatives.part() }));
  }

  absorb(part: ReturnType<ChoiceTracker['part']>): void {
    const parts = new Map(part.map(({ id, taken }) => [id, taken]));
    for (const { choice, alternatives } of this.#tracked) alternatives.absorb(parts.get(choice.id) ?? []);
  }

  /** `pinned`: the only permitted alternative, by id of the choice. */
  verdicts(pinned: Readonly<Record<string, string>> = {}): ChoiceVerdict[] {
    return this.#tracked.map(({ choice, alternatives }) => {
      const { id, spec, says, usual } = choice;
      return {
        id,
        spec,
        says,
        taken: alternatives.withExchanges.map(([alternative]) => alternative),
        exchanges: alternatives.withExchanges.map(([, exchange]) => exchange),
        consistent: choice.several === true || alternatives.size < 2,
        ...(usual !== undefined && { usual }),
        ...compareWithPin({ choice, alternatives }, pinned[id]),
      };
    });
  }
}

function compareWithPin(
  { choice, alternatives }: TrackedChoice,
  pin: string | undefined,
): Pick<ChoiceVerdict, 'pinned' | 'kept' | 'unshown'> {
  if (pin === undefined) return {};
  const hasOther = alternatives.withExchanges.some(([one]) => alternativeNamed(choice, one) !== pin);
  if (hasOther) return { pinned: pin };
  return alternatives.size > 0 ? { kept: pin } : { unshown: pin };
}

function reportError({ alternatives }: TrackedChoice, error: unknown): void {
  alternatives.add(`error in the choice: ${messageOf(error)}`, 0);
}
