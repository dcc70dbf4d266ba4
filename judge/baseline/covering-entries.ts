import type { Cause } from '../verdict/cause.ts';
import { isBroken, isConsequence } from '../verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../verdict/verdict.ts';
import { type BaselineEntry, coveringRejectionsId, covers, isExpired } from './baseline-entry.ts';

export class CoveringEntries {
  readonly #entries: ReadonlyMap<string, BaselineEntry>;
  readonly #today: string;
  /** By id of a cause: ids for the equivalent sets of features. */
  readonly #equivalents: ReadonlyMap<string, readonly string[]>;

  constructor(
    entries: ReadonlyMap<string, BaselineEntry>,
    { today, diagnoses }: { readonly today: string; readonly diagnoses: readonly DiagnosisVerdict[] },
  ) {
    this.#entries = entries;
    this.#today = today;
    this.#equivalents = new Map(
      diagnoses.flatMap(({ operations, equivalent }) =>
        operations.map(({ id, requirement }) => [
          id,
          equivalent.map((features) => `${requirement}#${features.join('&')}`),
        ]),
      ),
    );
  }

  /** The entry of the requirement, or else of its first cause; null unless all findings or causes are accepted. */
  entryFor(requirement: RequirementVerdict): BaselineEntry | null {
    const ids = [requirement.id, coveringRejectionsId(requirement) ?? []].flat();
    for (const entry of ids.flatMap((id) => this.#entries.get(id) ?? []))
      if (covers(entry, requirement, this.#today)) return entry;
    if (requirement.verdict === 'inconclusive') return this.#entryOfUndecided(requirement);
    if (!isBroken(requirement) || requirement.findings.length === 0) return null;
    if (isConsequence(requirement)) return this.#entryOfCauses(requirement);
    return firstEntryIfAll(
      requirement.findings.map(({ causeId = '', signature }) => this.#entryAccepting(causeId, [signature])),
    );
  }

  /** Null unless all findings of the cause are accepted. */
  entryForCause(id: string, requirement: RequirementVerdict | undefined): BaselineEntry | null {
    const own = requirement?.findings.filter((one) => one.causeId === id) ?? [];
    const signatures = own.map(({ signature }) => signature);
    return this.#entryAccepting(id, signatures);
  }

  #entryAccepting(id: string, signatures: readonly string[]): BaselineEntry | null {
    const entry = this.#validEntry(id);
    if (entry !== null && signatures.every((one) => entry.signatures.includes(one))) return entry;
    const others = (this.#equivalents.get(id) ?? []).map((one) => this.#validEntry(one));
    return others.find((other) => other !== null) ?? null;
  }

  #entryOfCauses({ consequenceOf = [] }: RequirementVerdict): BaselineEntry | null {
    return firstEntryIfAll(consequenceOf.map((id) => this.#entryAccepting(id, [])));
  }

  #entryOfUndecided(requirement: RequirementVerdict): BaselineEntry | null {
    if (isConsequence(requirement)) return this.#entryOfCauses(requirement);
    if (requirement.cause?.kind !== 'breakdown') return null;
    return firstEntryIfAll(
      requirement.cause.faults.map(({ id }) => this.#validEntry(id, 'breakdown') ?? this.#validEntry(id)),
    );
  }

  #validEntry(id: string, undecided?: Cause['kind']): BaselineEntry | null {
    const entry = this.#entries.get(id);
    const isValid = entry?.undecided === undecided && entry !== undefined && !isExpired(entry, this.#today);
    return isValid ? entry : null;
  }
}

function firstEntryIfAll(entries: readonly (BaselineEntry | null)[]): BaselineEntry | null {
  return entries.includes(null) ? null : (entries[0] ?? null);
}
