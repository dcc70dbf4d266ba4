import { isAcceptanceRequirement } from '../acceptance/ids.ts';
import type { Level } from '../requirements/requirement.ts';
import type { DiagnosisVerdict, Judgement, RequirementVerdict } from './verdict.ts';

/** How many failures there are, one for each cause. */
export interface FailureCount {
  /** Causes of refusals, and requirements that fail for a reason of their own. */
  readonly count: number;
  /** Requirements that fail in consequence of a cause alone. */
  readonly consequences: number;
}

/** Requirements to count, with the causes of those that fail. */
export interface Counted extends Pick<Judgement, 'requirements' | 'diagnoses'> {
  /** All that the requirements are a part of, where the parts add up to it: a cause counts in one of them. */
  readonly whole?: readonly RequirementVerdict[];
}

/** Counts the broken requirements of a level that no baseline accepts. A cause counts once, as a MUST. */
export function countFailures(
  { requirements, diagnoses = [], whole = requirements }: Counted,
  level: Level,
): FailureCount {
  const verdict = level === 'MUST' ? 'fail' : 'warn';
  const broken = requirements.filter((one) => one.verdict === verdict && one.baseline === null);
  const causes = level === 'MUST' ? causesIn(requirements, diagnoses, openIds(whole)).length : 0;
  return countOf(broken, causes);
}

/** Counts the broken requirements of both levels that a baseline accepts, as `countFailures` does the others. */
export function countKnownFailures({
  requirements,
  diagnoses = [],
  whole = requirements,
}: Counted): FailureCount {
  const known = requirements.filter(isKnown);
  const ids = new Set(whole.filter(isKnown).map(({ id }) => id));
  const causes = causesIn(requirements, diagnoses, ids);
  const explained = new Set(
    diagnoses.flatMap(({ operations }) => operations.map(({ requirement }) => requirement)),
  );
  // Without a cause that says more, the requirement is what the baseline accepts.
  const unexplained = known.filter(({ id }) => isAcceptanceRequirement(id) && !explained.has(id));
  return countOf(known, causes.length + unexplained.filter((one) => !isConsequence(one)).length);
}

function isKnown({ baseline, verdict }: RequirementVerdict): boolean {
  return baseline !== null && verdict !== 'inconclusive';
}

/** The causes that count among some requirements: where the first of `ids` that they break or else explain is one of these. */
function causesIn(
  requirements: readonly RequirementVerdict[],
  diagnoses: readonly DiagnosisVerdict[],
  ids: ReadonlySet<string>,
): readonly DiagnosisVerdict[] {
  const own = new Set(requirements.map(({ id }) => id));
  return diagnoses.filter((one) => {
    const first = requirementsOf(one).find((id) => ids.has(id));
    return first !== undefined && own.has(first);
  });
}

function countOf(broken: readonly RequirementVerdict[], causes: number): FailureCount {
  const consequences = broken.filter(isConsequence).length;
  const own = broken.filter((one) => !isConsequence(one) && !isAcceptanceRequirement(one.id));
  return { count: own.length + causes, consequences };
}

/** The causes that break a requirement, or explain one that is broken, which no baseline accepts. */
export function openDiagnoses(
  diagnoses: readonly DiagnosisVerdict[],
  requirements: readonly RequirementVerdict[],
): readonly DiagnosisVerdict[] {
  return causesIn(requirements, diagnoses, openIds(requirements));
}

function openIds(requirements: readonly RequirementVerdict[]): ReadonlySet<string> {
  return new Set(
    requirements.flatMap(({ id, verdict, baseline }) =>
      baseline === null && (verdict === 'fail' || verdict === 'warn') ? [id] : [],
    ),
  );
}

/** Ids of the requirements that a cause breaks, then of those that it explains. */
function requirementsOf({ operations, consequences }: DiagnosisVerdict): readonly string[] {
  return [...operations.map(({ requirement }) => requirement), ...consequences];
}

/** Whether a requirement fails only by requests that are refused for a cause which is reported. */
export function isConsequence({ consequenceOf = [] }: RequirementVerdict): boolean {
  return consequenceOf.length > 0;
}
