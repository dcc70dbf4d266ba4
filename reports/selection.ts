import { isLeftOut } from '../judge/verdict/cause.ts';
import { isConsequence, isKnownFailure, openDiagnoses } from '../judge/verdict/failure-count.ts';
import { TOLERABLE, tolerableKind } from '../judge/verdict/gate.ts';
import type { Tolerable } from '../judge/verdict/gate-result.ts';
import type { DiagnosisVerdict, OperationVerdict, RequirementVerdict } from '../judge/verdict/verdict.ts';
import { getOrMake } from '../schemas/maps.ts';
import { sortByDamage } from './damage.ts';
import type { Report, ReportedRequirement, VerdictCounts } from './report.ts';

const scopes = new WeakMap<readonly RequirementVerdict[], readonly RequirementVerdict[]>();

const TOLERANCE_REASONS: Readonly<Record<Tolerable, string>> = {
  'lenient-validation': 'an accepted invalid request, tolerated by --tolerate lenient-validation',
  clients: 'relied on by clients, tolerated by --tolerate clients',
};

export function countVerdicts(requirements: readonly RequirementVerdict[]): VerdictCounts {
  const counts = { total: 0, pass: 0, fail: 0, warn: 0, untested: 0, inconclusive: 0, excused: 0, error: 0 };
  for (const { verdict } of requirements) {
    counts.total += 1;
    counts[verdict] += 1;
  }
  return counts;
}

export function countOperations(operations: readonly OperationVerdict[]): Report['summary']['operations'] {
  const countIds = (rows: readonly OperationVerdict[]) => new Set(rows.map(({ id }) => id)).size;
  const claimed = operations.filter((row) => row.claimed);
  return {
    total: countIds(operations),
    claimed: countIds(claimed),
    exercised: countIds(claimed.filter(({ exercised }) => exercised > 0)),
  };
}

export function requirementsInScope<R extends RequirementVerdict>(requirements: readonly R[]): readonly R[] {
  return getOrMake(scopes, requirements, () =>
    requirements.filter(({ verdict, cause }) => verdict !== 'untested' || !isLeftOut(cause)),
  ) as readonly R[]; // as: some of these requirements
}

/** Requirements with the verdict that nothing excuses and no cause in `openCauses` explains, most damaging first. */
export function unexcusedRequirements(
  report: Report,
  verdict: 'fail' | 'warn',
): readonly ReportedRequirement[] {
  const brokenByCauses = new Set(
    openCauses(report).flatMap(({ operations }) => operations.map(({ requirement }) => requirement)),
  );
  const tolerated = new Set(toleratedFailures(report));
  return sortByDamage(
    report.requirements.filter(
      (one) =>
        one.verdict === verdict &&
        one.baseline === null &&
        !isConsequence(one) &&
        !brokenByCauses.has(one.id) &&
        !tolerated.has(one),
    ),
  );
}

export function toleratedFailures({ requirements, summary }: Report): readonly ReportedRequirement[] {
  const tolerated = new Set<Tolerable | null>(
    TOLERABLE.filter((kind) => summary.causes.some((one) => one.kind === kind && one.tolerated)),
  );
  return tolerated.size === 0 ? [] : requirements.filter((one) => tolerated.has(tolerableKind(one)));
}

/** Returns the report with tolerated failures as known ones, for formats in which a failure turns a dashboard red. */
export function acceptTolerated(report: Report): Report {
  const tolerated = new Set(toleratedFailures(report));
  if (tolerated.size === 0) return report;
  const requirements = report.requirements.map((one) =>
    tolerated.has(one)
      ? { ...one, baseline: TOLERANCE_REASONS[tolerableKind(one) ?? 'lenient-validation'] }
      : one,
  );
  return { ...report, requirements };
}

export function openCauses({ diagnoses = [], requirements }: Report): readonly DiagnosisVerdict[] {
  return openDiagnoses(diagnoses, requirements);
}

export function knownFailures(report: Report): readonly ReportedRequirement[] {
  return report.requirements.filter(isKnownFailure);
}
