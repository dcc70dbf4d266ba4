import type { Level } from '../requirements/requirement.ts';
import type { DiagnosisVerdict, Judgement, RequirementVerdict } from './verdict.ts';

/** Each cause counts once; further requirements that it explains are consequences. */
export interface FailureCount {
  readonly count: number;
  readonly consequences: number;
}

export interface CountedVerdicts extends Pick<Judgement, 'requirements' | 'diagnoses'> {
  /** All requirements, if the counts of several parts must add up: a cause then counts in one part only. */
  readonly allRequirements?: readonly RequirementVerdict[];
}

export function countFailures(
  { requirements, diagnoses = [], allRequirements = requirements }: CountedVerdicts,
  level: Level,
): FailureCount {
  return countEachCauseOnce(
    openFailures({ requirements }, level),
    diagnoses,
    allRequirements.filter(isOpenFailure),
  );
}

export function openFailures(
  { requirements }: Pick<CountedVerdicts, 'requirements'>,
  level: Level,
): readonly RequirementVerdict[] {
  const verdict = level === 'MUST' ? 'fail' : 'warn';
  return requirements.filter((one) => one.verdict === verdict && one.baseline === null);
}

export function countKnownFailures({
  requirements,
  diagnoses = [],
  allRequirements = requirements,
}: CountedVerdicts): FailureCount {
  return countEachCauseOnce(
    requirements.filter(isKnownFailure),
    diagnoses,
    allRequirements.filter(isKnownFailure),
  );
}

export function isKnownFailure({ baseline, verdict }: RequirementVerdict): boolean {
  return baseline !== null && verdict !== 'inconclusive';
}

function isOpenFailure(one: RequirementVerdict): boolean {
  return one.baseline === null && isBroken(one);
}

function countEachCauseOnce(
  failures: readonly RequirementVerdict[],
  diagnoses: readonly DiagnosisVerdict[],
  allFailures: readonly RequirementVerdict[],
): FailureCount {
  const ids = new Set(allFailures.map(({ id }) => id));
  const counted = new Set(diagnoses.flatMap((one) => requirementsOf(one).find((id) => ids.has(id)) ?? []));
  const caused = new Set(diagnoses.flatMap(brokenBy));
  const consequences = failures.filter(
    (one) => !counted.has(one.id) && (isConsequence(one) || caused.has(one.id)),
  ).length;
  return { count: failures.length - consequences, consequences };
}

/**
 * The causes of failures that no baseline accepts, reduced to the operations in which it does not accept them. A cause
 * that is accepted in all its operations stays whole if it explains such a failure that no reduced cause explains.
 */
export function openDiagnoses(
  diagnoses: readonly DiagnosisVerdict[],
  requirements: readonly RequirementVerdict[],
): readonly DiagnosisVerdict[] {
  const openIds = new Set(requirements.filter(isOpenFailure).map(({ id }) => id));
  const concerned = diagnoses.filter((one) => requirementsOf(one).some((id) => openIds.has(id)));
  const reduced = concerned.flatMap((one) => {
    const operations = one.operations.filter(({ baseline }) => baseline === undefined);
    return operations.length === 0 ? [] : [{ ...one, operations }];
  });
  const explained = new Set(reduced.flatMap(requirementsOf));
  const isOnlyCause = ({ operations, consequences }: DiagnosisVerdict) =>
    operations.every(({ baseline }) => baseline !== undefined) &&
    consequences.some((id) => openIds.has(id) && !explained.has(id));
  return [...reduced, ...concerned.filter(isOnlyCause)];
}

function requirementsOf(cause: DiagnosisVerdict): readonly string[] {
  return [...brokenBy(cause), ...cause.consequences];
}

function brokenBy({ operations }: DiagnosisVerdict): readonly string[] {
  return operations.map(({ requirement }) => requirement);
}

export function isBroken({ verdict }: Pick<RequirementVerdict, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

export function isConsequence({ consequenceOf = [] }: RequirementVerdict): boolean {
  return consequenceOf.length > 0;
}
