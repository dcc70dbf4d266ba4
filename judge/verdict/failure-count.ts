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

/** Counts the broken requirements of a level that no baseline accepts. A cause counts once, as a MUST. */
export function countFailures(
  { requirements, diagnoses = [] }: Pick<Judgement, 'requirements' | 'diagnoses'>,
  level: Level,
): FailureCount {
  const verdict = level === 'MUST' ? 'fail' : 'warn';
  const broken = requirements.filter((one) => one.verdict === verdict && one.baseline === null);
  const consequences = broken.filter(isConsequence).length;
  const own = broken.filter((one) => !isConsequence(one) && !isAcceptanceRequirement(one.id));
  const causes = level === 'MUST' ? openDiagnoses(diagnoses, requirements).length : 0;
  return { count: own.length + causes, consequences };
}

/** The causes that break a requirement, or explain one that is broken, which no baseline accepts. */
export function openDiagnoses(
  diagnoses: readonly DiagnosisVerdict[],
  requirements: readonly RequirementVerdict[],
): readonly DiagnosisVerdict[] {
  const open = new Set(
    requirements.flatMap(({ id, verdict, baseline }) =>
      baseline === null && (verdict === 'fail' || verdict === 'warn') ? [id] : [],
    ),
  );
  return diagnoses.filter(
    ({ operations, consequences }) =>
      operations.some(({ requirement }) => open.has(requirement)) || consequences.some((id) => open.has(id)),
  );
}

/** Whether a requirement fails only by requests that are refused for a cause which is reported. */
export function isConsequence({ consequenceOf = [] }: RequirementVerdict): boolean {
  return consequenceOf.length > 0;
}
