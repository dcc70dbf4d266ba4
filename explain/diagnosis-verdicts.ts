// Relates failing requirements to the causes for which a target refuses valid requests.

import type { RequirementState } from '../judge/requirement-state.ts';
import {
  acceptanceRequirementId,
  causeId,
  type DiagnosedOperation,
  type Diagnosis,
  isAcceptanceRequirement,
} from '../judge/requirements/refusals.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../judge/verdict/verdict.ts';

const NAMED = 20;

export class DiagnosisVerdicts {
  readonly #diagnoses: readonly Diagnosis[];
  readonly #causes = new Map<string, string[]>();
  readonly #proven = new Set<string>();

  constructor(diagnoses: readonly Diagnosis[]) {
    this.#diagnoses = diagnoses;
    for (const { feature, operations, proven } of diagnoses)
      for (const { subject, exchanges, undecided } of operations)
        for (const exchange of [...exchanges, ...undecided]) {
          if (proven) this.#proven.add(causeId(subject, feature));
          const known = this.#causes.get(exchange);
          if (known === undefined) this.#causes.set(exchange, [causeId(subject, feature)]);
          else known.push(causeId(subject, feature));
        }
  }

  /**
   * Ids of the causes behind a failing requirement: each exchange with a finding was refused for one of them. Empty if
   * another exchange shows a finding too, if there were too many to keep, or for a requirement on acceptance itself.
   */
  causesOf({ requirement, exchangesAtFault }: RequirementState): readonly string[] {
    if (isAcceptanceRequirement(requirement.id) || exchangesAtFault === null) return [];
    const causes = new Set<string>();
    for (const exchange of exchangesAtFault) {
      const known = this.#causes.get(exchange);
      if (known === undefined) return [];
      for (const one of known) causes.add(one);
    }
    return [...causes];
  }

  causesAmong(exchanges: readonly string[]): readonly string[] {
    const causes = exchanges.flatMap((exchange) => this.#causes.get(exchange) ?? []);
    return [...new Set(causes)].filter((id) => this.#proven.has(id));
  }

  reported(requirements: readonly RequirementVerdict[]): readonly DiagnosisVerdict[] {
    const failing = new Set(
      requirements.flatMap(({ verdict, findings }) =>
        verdict === 'fail' ? findings.flatMap((finding) => finding.causeId ?? []) : [],
      ),
    );
    return this.#diagnoses.flatMap(({ operations, feature, ...diagnosis }) => {
      const ids = new Set(operations.map(({ subject }) => causeId(subject, feature)));
      const dependent = requirements.filter(({ consequenceOf = [] }) =>
        consequenceOf.some((id) => ids.has(id)),
      );
      const consequences = dependent.filter(isFailing).map(({ id }) => id);
      const withoutEvidence = dependent.filter((one) => !isFailing(one)).map(({ id }) => id);
      const broken = operations.filter(({ subject }) => failing.has(causeId(subject, feature)));
      if (broken.length + consequences.length === 0) return [];
      const shown = broken.length === 0 ? operations : broken;
      const causes = shown.map((one) => operationVerdict(one, feature));
      return [{ ...diagnosis, feature, operations: causes, consequences, withoutEvidence }];
    });
  }
}

function isFailing({ verdict }: RequirementVerdict): boolean {
  return verdict === 'fail' || verdict === 'warn';
}

function operationVerdict(
  { subject, with: share, without, exchanges }: DiagnosedOperation,
  feature: string,
): DiagnosisVerdict['operations'][number] {
  return {
    id: causeId(subject, feature),
    requirement: acceptanceRequirementId(subject),
    with: share,
    without,
    exchanges: exchanges.slice(0, NAMED),
  };
}
