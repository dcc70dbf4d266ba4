import type { RequirementState } from '../judge/requirement-state.ts';
import {
  acceptanceRequirementId,
  causeId,
  type DiagnosedOperation,
  type Diagnosis,
  isAcceptanceRequirement,
} from '../judge/requirements/refusal-causes.ts';
import { isBroken } from '../judge/verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../judge/verdict/verdict.ts';
import { ExchangeIndex } from './exchange-index.ts';

const MAX_NAMED_EXCHANGES = 20;

export class DiagnosisVerdicts {
  readonly #diagnoses: readonly Diagnosis[];
  readonly #causes = new ExchangeIndex<string>();
  readonly #provenCauses = new Set<string>();

  constructor(diagnoses: readonly Diagnosis[]) {
    this.#diagnoses = diagnoses;
    for (const { feature, operations, proven } of diagnoses)
      for (const { subject, exchanges, undecided } of operations)
        for (const exchange of [...exchanges, ...undecided]) {
          if (proven) this.#provenCauses.add(causeId(subject, feature));
          this.#causes.add(exchange, causeId(subject, feature));
        }
  }

  /** Empty for acceptance requirements, and unless causes explain each exchange with a finding. */
  findCauses({ requirement, exchangesAtFault }: RequirementState): readonly string[] {
    if (isAcceptanceRequirement(requirement.id) || exchangesAtFault === null) return [];
    return this.#causes.explanationsOfAll(exchangesAtFault);
  }

  findProvenCauses(exchanges: readonly string[]): readonly string[] {
    const causes = exchanges.flatMap((exchange) => this.#causes.explanationsOf(exchange));
    return [...new Set(causes)].filter((id) => this.#provenCauses.has(id));
  }

  makeVerdicts(requirements: readonly RequirementVerdict[]): readonly DiagnosisVerdict[] {
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
      const consequences = dependent.filter(isBroken).map(({ id }) => id);
      const withoutEvidence = dependent.filter((one) => !isBroken(one)).map(({ id }) => id);
      const broken = operations.filter(({ subject }) => failing.has(causeId(subject, feature)));
      if (broken.length + consequences.length === 0) return [];
      const shown = (broken.length === 0 ? operations : broken).map((one) =>
        toOperationVerdict(one, feature),
      );
      return [{ ...diagnosis, feature, operations: shown, consequences, withoutEvidence }];
    });
  }
}

function toOperationVerdict(
  { subject, with: share, without, exchanges }: DiagnosedOperation,
  feature: string,
): DiagnosisVerdict['operations'][number] {
  return {
    id: causeId(subject, feature),
    requirement: acceptanceRequirementId(subject),
    with: share,
    without,
    exchanges: exchanges.slice(0, MAX_NAMED_EXCHANGES),
  };
}
