import type { Cause } from '../verdict/cause.ts';
import { isBroken, isConsequence } from '../verdict/failure-count.ts';
import { breaksDown, type DiagnosisVerdict, type RequirementVerdict } from '../verdict/verdict.ts';

/** A known failure, or a MUST that may stay undecided: accepted as long as its findings or cause are those listed. */
export interface BaselineEntry {
  /** Id of a requirement, one of its causes, or invalid requests that an operation accepts: `createFile:rejects`. */
  readonly id: string;
  /** Signatures of the known findings; empty if nothing was decided. */
  readonly signatures: readonly string[];
  /** For an undecided MUST, the kind of its cause in `report.json`: `no-evidence`. */
  readonly undecided?: Cause['kind'];
  /** Set if only some tries show the failure. A run without it may be luck, so it does not make the entry stale. */
  readonly intermittent?: true;
  /** Why the failure or undecided MUST is accepted for now. */
  readonly reason: string;
  /** Link to an issue or page about the failure, as free text; null if none is given. */
  readonly link: string | null;
  /** Last day on which the entry applies, such as `2027-01-31`, or null. */
  readonly expires: string | null;
}

export class CoveringEntries {
  readonly #entries: ReadonlyMap<string, BaselineEntry>;
  readonly #today: string;
  readonly #equivalents: ReadonlyMap<string, readonly string[]>;

  constructor(
    entries: ReadonlyMap<string, BaselineEntry>,
    { today, diagnoses = [] }: { readonly today: string; readonly diagnoses?: readonly DiagnosisVerdict[] },
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
    const ids = [requirement.id, rejectionsOf(requirement) ?? []].flat();
    for (const entry of ids.flatMap((id) => this.#entries.get(id) ?? []))
      if (covers(entry, requirement, this.#today)) return entry;
    if (requirement.verdict === 'inconclusive') return this.#entryOfUndecided(requirement);
    if (!isBroken(requirement)) return null;
    if (requirement.findings.length === 0) return null;
    if (isConsequence(requirement)) return this.#entryOfCauses(requirement);
    return firstEntryIfAll(
      requirement.findings.map(({ causeId = '', signature }) => this.#entryAccepting(causeId, [signature])),
    );
  }

  /** The entry of one cause of a requirement; null unless all its findings are accepted. */
  entryForCause(id: string, requirement: RequirementVerdict | undefined): BaselineEntry | null {
    const own = requirement?.findings.filter((one) => one.causeId === id) ?? [];
    const signatures = own.map(({ signature }) => signature);
    return this.#entryAccepting(id, signatures);
  }

  /** The entry of a cause if it lists all these signatures, else one with features that the same requests have. */
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
    return entry === undefined || entry.undecided !== undecided || isExpired(entry, this.#today)
      ? null
      : entry;
  }
}

/** Suffix of the id of the entry for all invalid requests that an operation accepts. */
export const REJECTIONS_SUFFIX = ':rejects';

/** The id of the entry for all invalid requests that an operation accepts; null for requirements of another kind. */
export function rejectionsOf(one: Pick<RequirementVerdict, 'id' | 'kind' | 'findings'>): string | null {
  return one.kind === 'rejected' && !breaksDown(one)
    ? `${one.id.split(':', 1)[0]}${REJECTIONS_SUFFIX}`
    : null;
}

/** The first entry if none is missing. */
function firstEntryIfAll(entries: readonly (BaselineEntry | null)[]): BaselineEntry | null {
  return entries.includes(null) ? null : (entries[0] ?? null);
}

export function isExpired({ expires }: Pick<BaselineEntry, 'expires'>, today: string): boolean {
  return expires !== null && expires < today;
}

/** Whether an entry accepts a whole requirement: all its findings, or the kind of cause that leaves it undecided. */
export function covers(entry: BaselineEntry, one: RequirementVerdict, today: string): boolean {
  if (isExpired(entry, today)) return false;
  if (entry.undecided !== undefined)
    return one.verdict === 'inconclusive' && one.cause?.kind === entry.undecided;
  if (!isBroken(one)) return false;
  return one.findings.every(({ signature }) => entry.signatures.includes(signature));
}
