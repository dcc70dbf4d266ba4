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
  const causes = level === 'MUST' ? openDiagnoses(diagnoses, requirements).length : 0;
  return countOf(broken, causes);
}

/** Counts the broken requirements of both levels that a baseline accepts, as `countFailures` does the others. */
export function countKnownFailures({
  requirements,
  diagnoses = [],
}: Pick<Judgement, 'requirements' | 'diagnoses'>): FailureCount {
  const known = requirements.filter((one) => one.baseline !== null && one.verdict !== 'inconclusive');
  const ids = new Set(known.map(({ id }) => id));
  const causes = diagnoses.filter((one) => explainsAny(one, ids));
  const explained = new Set(
    causes.flatMap(({ operations }) => operations.map(({ requirement }) => requirement)),
  );
  // Without a cause that says more, the requirement is what the baseline accepts.
  const unexplained = known.filter(({ id }) => isAcceptanceRequirement(id) && !explained.has(id));
  return countOf(known, causes.length + unexplained.filter((one) => !isConsequence(one)).length);
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
  const open = new Set(
    requirements.flatMap(({ id, verdict, baseline }) =>
      baseline === null && (verdict === 'fail' || verdict === 'warn') ? [id] : [],
    ),
  );
  return diagnoses.filter((one) => explainsAny(one, open));
}

/** Whether a cause breaks one of the requirements, or explains one that is broken. */
function explainsAny({ operations, consequences }: DiagnosisVerdict, ids: ReadonlySet<string>): boolean {
  return operations.some(({ requirement }) => ids.has(requirement)) || consequences.some((id) => ids.has(id));
}

/** Whether a requirement fails only by requests that are refused for a cause which is reported. */
export function isConsequence({ consequenceOf = [] }: RequirementVerdict): boolean {
  return consequenceOf.length > 0;
}
