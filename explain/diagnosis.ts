import { hasAllFeatures } from '../judge/acceptance/body-size.ts';
import type { RequirementState } from '../judge/requirement-state.ts';
import {
  type AcceptanceFacts,
  closesEachTime,
  type RequestRow,
  type RowsBySubject,
  type Share,
  shareOf,
  type UndecidedRefusal,
} from '../judge/requirements/acceptance-facts.ts';
import {
  acceptanceRequirementId,
  causeId,
  type DiagnosedOperation,
  type Diagnosis,
  FEATURELESS_CAUSES,
  isAcceptanceRequirement,
  type RefusalCauses,
} from '../judge/requirements/refusal-causes.ts';
import { isBroken } from '../judge/verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../judge/verdict/verdict.ts';
import { getOrMake } from '../schemas/maps.ts';
import { failuresIn } from './breakdowns.ts';
import { type Explanation, exchangesOf, explain } from './causes.ts';
import { ExchangeIndex } from './exchange-index.ts';
import { decisiveMoment, likelyMoment } from './moments.ts';
import { estimateNoise } from './noise.ts';

export function explainRefusals(facts: AcceptanceFacts): RefusalCauses {
  const refused = facts.refusedRows.size === 0 ? [] : diagnose(withAccepted(facts), facts.repeatedRows());
  const diagnoses = [
    ...refused,
    ...diagnoseClosedConnections(facts, new Set(refused.map(({ feature }) => feature))),
    ...diagnoseRefusalsOfAll(facts.unprovenRows, facts.accepted.size === 0 ? 'target' : 'operations'),
  ];
  return {
    diagnoses: diagnoses.map((one) => withUndecided(one, facts.undecided)),
    ...(facts.failed.length === 0 ? { breakdowns: [], broken: [] } : failuresIn(facts)),
  };
}

/** Finds features for which the target closes the connection each time. `refused`: the features that it refuses. */
function diagnoseClosedConnections(
  facts: AcceptanceFacts,
  refused: ReadonlySet<string>,
): readonly Diagnosis[] {
  const rows = new Map<string, RequestRow[]>();
  for (const { subject, closed } of facts.unanswered)
    if (closesEachTime(closed)) {
      const { features, exchanges } = closed;
      getOrMake(rows, subject, () => []).push({ features, exchanges, accepted: 0, refused: 1 });
    }
  if (rows.size === 0) return [];
  return diagnose(withAccepted({ ...facts, refusedRows: rows }), facts.repeatedRows()).flatMap((one) =>
    one.kind === 'features' && !refused.has(one.feature)
      ? [{ ...one, closes: true as const, equivalent: [] }]
      : [],
  );
}

function withAccepted({ refusedRows, acceptedRows }: AcceptanceFacts): RowsBySubject {
  const all = new Map(refusedRows);
  for (const [subject, accepted] of acceptedRows())
    all.set(subject, [...(refusedRows.get(subject) ?? []), ...accepted]);
  return all;
}

/** Adds the undecided refusals that the cause also explains, since other requirements may fail because of it. */
function withUndecided(diagnosis: Diagnosis, refusals: readonly UndecidedRefusal[]): Diagnosis {
  const { features, kind } = diagnosis;
  const explained = refusals.filter(
    (one) => kind !== 'unexplained' && hasAllFeatures(one.features, features),
  );
  const operations = diagnosis.operations.map((operation) => ({
    ...operation,
    undecided: explained.flatMap(({ subject, exchange }) =>
      subject === operation.subject ? [exchange] : [],
    ),
  }));
  return { ...diagnosis, operations };
}

/** Explains refusals by operation, and merges equal causes. `repeats`: rows of equal requests, which show the noise. */
function diagnose(rows: RowsBySubject, repeats: RowsBySubject): readonly Diagnosis[] {
  const noise = estimateNoise(repeats);
  const causes = new Map<string, Diagnosis>();
  const all = [...rows.values()].flat();
  const refusing = [...rows.values()].filter((own) => shareOf(own).refused > 0);
  const decisive = refusing.length > 1 ? decisiveMoment(all) : null;
  const isNoisy = [...rows.keys()].some((subject) => noise(subject) > 0);
  const moment = decisive ?? (isNoisy ? likelyMoment(all) : null);
  for (const [subject, own] of rows) {
    const rate = noise(subject);
    const found =
      moment === null
        ? explain(own, rate)
        : explainByMoment(own, moment, { rate, isPure: decisive !== null });
    for (const one of found) {
      const diagnosis = diagnosisOf(one, subject);
      const isShared = one.kind === 'features' || one.kind === 'inconsistent';
      const key = isShared ? diagnosis.feature : `${diagnosis.feature} ${subject}`;
      const known = causes.get(key);
      causes.set(key, known === undefined ? diagnosis : joinDiagnoses(known, diagnosis));
    }
  }
  return [...causes.values()].toSorted((a, b) => countRefused(b) - countRefused(a));
}

/** Diagnoses operations that refuse every request: as one if the target accepts nothing at all, else one by one. */
function diagnoseRefusalsOfAll(rows: RowsBySubject, extent: 'target' | 'operations'): readonly Diagnosis[] {
  const each = [...rows].flatMap(([subject, own]): Diagnosis[] => {
    const all = shareOf(own);
    if (all.refused === 0) return [];
    const kind = 'everything' as const;
    return [{ ...diagnosisOf({ kind, all, exchanges: exchangesOf(own) }, subject), proven: false }];
  });
  const [first, ...others] = each;
  return first === undefined || extent === 'operations' ? each : [others.reduce(joinDiagnoses, first)];
}

/** Attributes refusals at `moment` to it, and others to features. `isPure`: every request then was refused. */
function explainByMoment(
  own: readonly RequestRow[],
  moment: string,
  { rate, isPure }: { readonly rate: number; readonly isPure: boolean },
): readonly Explanation[] {
  const atMoment = own.filter(({ features }) => features.includes(moment));
  const others = own.filter((row) => !atMoment.includes(row));
  const found = explain(others, rate).filter(({ kind }) => isPure || kind === 'features');
  if (shareOf(atMoment).refused === 0) return found;
  const momentCause: Explanation = {
    kind: 'features',
    features: [moment],
    equivalent: [],
    with: shareOf(atMoment),
    without: shareOf(others),
    exchanges: exchangesOf(isPure ? atMoment : own),
  };
  return [momentCause, ...found];
}

const NO_REQUESTS: Share = { refused: 0, total: 0 };

function diagnosisOf(explanation: Explanation, subject: string): Diagnosis {
  const { kind, exchanges } = explanation;
  const proven = true;
  if (kind !== 'features') {
    const operations = [{ subject, with: explanation.all, without: NO_REQUESTS, exchanges, undecided: [] }];
    return { kind, feature: FEATURELESS_CAUSES[kind], features: [], equivalent: [], proven, operations };
  }
  const { features, equivalent, without } = explanation;
  const operations = [{ subject, with: explanation.with, without, exchanges, undecided: [] }];
  return { kind, feature: features.join('&'), features, equivalent, proven, operations };
}

/** Merges the operations, and keeps the equivalent sets that both have. */
function joinDiagnoses(one: Diagnosis, other: Diagnosis): Diagnosis {
  const others = new Set(other.equivalent.map((features) => features.join(' ')));
  return {
    ...one,
    equivalent: one.equivalent.filter((features) => others.has(features.join(' '))),
    operations: [...one.operations, ...other.operations],
  };
}

function countRefused({ operations }: Diagnosis): number {
  return operations.reduce((sum, one) => sum + one.with.refused, 0);
}

const MAX_NAMED_EXCHANGES = 20;

/** Relates failing requirements to the causes for which a target refuses valid requests. */
export class DiagnosisVerdicts {
  readonly #diagnoses: readonly Diagnosis[];
  readonly #causes = new ExchangeIndex<string>();
  readonly #proven = new Set<string>();

  constructor(diagnoses: readonly Diagnosis[]) {
    this.#diagnoses = diagnoses;
    for (const { feature, operations, proven } of diagnoses)
      for (const { subject, exchanges, undecided } of operations)
        for (const exchange of [...exchanges, ...undecided]) {
          if (proven) this.#proven.add(causeId(subject, feature));
          this.#causes.add(exchange, causeId(subject, feature));
        }
  }

  /** Ids of the causes behind a failure; empty unless each exchange with a finding was refused for one of them. */
  causesOf({ requirement, exchangesAtFault }: RequirementState): readonly string[] {
    if (isAcceptanceRequirement(requirement.id) || exchangesAtFault === null) return [];
    return this.#causes.explanationsOfAll(exchangesAtFault);
  }

  /** Ids of the proven causes for which some of these exchanges were refused. */
  causesAmong(exchanges: readonly string[]): readonly string[] {
    const causes = exchanges.flatMap((exchange) => this.#causes.explanationsOf(exchange));
    return [...new Set(causes)].filter((id) => this.#proven.has(id));
  }

  /** The causes to report, each with the requirements that fail or lack evidence because of it. */
  verdicts(requirements: readonly RequirementVerdict[]): readonly DiagnosisVerdict[] {
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
      const shown = broken.length === 0 ? operations : broken;
      const causes = shown.map((one) => operationVerdict(one, feature));
      return [{ ...diagnosis, feature, operations: causes, consequences, withoutEvidence }];
    });
  }
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
    exchanges: exchanges.slice(0, MAX_NAMED_EXCHANGES),
  };
}
