import type { Cause } from '../verdict/cause.ts';
import { isBroken } from '../verdict/failure-count.ts';
import { breaksDown, type RequirementVerdict } from '../verdict/verdict.ts';

/** A known failure, or a MUST that may stay undecided; accepted only with the listed findings or cause. */
export interface BaselineEntry {
  /** Id of a requirement, one of its causes, or invalid requests that an operation accepts: `createFile:rejects`. */
  readonly id: string;
  /** Signatures of the known findings; empty if nothing was decided. */
  readonly signatures: readonly string[];
  /** For an undecided MUST, the kind of its cause in `report.json`: `no-evidence`. */
  readonly undecided?: Cause['kind'];
  /** Set if only some tries show the failure: a run without it may be luck. */
  readonly intermittent?: true;
  readonly reason: string;
  /** Link to an issue or page about the failure, as free text; null if none is given. */
  readonly link: string | null;
  /** Last day on which the entry applies, such as `2027-01-31`, or null. */
  readonly expires: string | null;
}

export const REJECTIONS_SUFFIX = ':rejects';

/** Id of the entry for all invalid requests that the operation accepts; null for requirements of other kinds. */
export function rejectionsId({ id, kind }: Pick<RequirementVerdict, 'id' | 'kind'>): string | null {
  return kind === 'rejected' ? `${id.split(':', 1)[0]}${REJECTIONS_SUFFIX}` : null;
}

/** Like `rejectionsId`, but also null if an invalid request ended in a 5xx or without a response. */
export function coveringRejectionsId(one: RequirementVerdict): string | null {
  return breaksDown(one) ? null : rejectionsId(one);
}

export function isExpired({ expires }: Pick<BaselineEntry, 'expires'>, today: string): boolean {
  return expires !== null && expires < today;
}

export function covers(entry: BaselineEntry, one: RequirementVerdict, today: string): boolean {
  if (isExpired(entry, today)) return false;
  if (entry.undecided !== undefined)
    return one.verdict === 'inconclusive' && one.cause?.kind === entry.undecided;
  if (!isBroken(one)) return false;
  return one.findings.every(({ signature }) => entry.signatures.includes(signature));
}
