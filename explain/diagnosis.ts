import { hasAllFeatures } from '../judge/acceptance/body-size.ts';
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
  type Diagnosis,
  FEATURELESS_CAUSES,
  type RefusalCauses,
} from '../judge/requirements/refusal-causes.ts';
import { getOrMake } from '../schemas/maps.ts';
import { findFailures } from './breakdowns.ts';
import { type Explanation, explain, listExchanges } from './causes.ts';
import { findDecisiveMoment, findLikelyMoment } from './moments.ts';
import { estimateNoise } from './noise.ts';

const NO_REQUESTS: Share = { refused: 0, total: 0 };

export function explainRefusals(facts: AcceptanceFacts): RefusalCauses {
  const refused = facts.refusedRows.size === 0 ? [] : diagnose(addAcceptedRows(facts), facts.repeatedRows());
  const diagnoses = [
    ...refused,
    ...diagnoseClosedConnections(facts, new Set(refused.map(({ feature }) => feature))),
    ...diagnoseRefusalsOfAll(facts.unprovenRows, facts.accepted.size === 0 ? 'target' : 'operations'),
  ];
  return {
    diagnoses: diagnoses.map((one) => addUndecided(one, facts.undecided)),
    ...(facts.failed.length === 0 ? { breakdowns: [], broken: [] } : findFailures(facts)),
  };
}

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
  return diagnose(addAcceptedRows({ ...facts, refusedRows: rows }), facts.repeatedRows()).flatMap((one) =>
    one.kind === 'features' && !refused.has(one.feature)
      ? [{ ...one, closes: true as const, equivalent: [] }]
      : [],
  );
}

function addAcceptedRows({ refusedRows, acceptedRows }: AcceptanceFacts): RowsBySubject {
  const rows = new Map(refusedRows);
  for (const [subject, accepted] of acceptedRows())
    rows.set(subject, [...(refusedRows.get(subject) ?? []), ...accepted]);
  return rows;
}

/** Adds the undecided refusals that the cause also explains, since other requirements may fail because of it. */
function addUndecided(diagnosis: Diagnosis, refusals: readonly UndecidedRefusal[]): Diagnosis {
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

/** `repeats`: rows of identical requests, to estimate noise. */
function diagnose(rows: RowsBySubject, repeats: RowsBySubject): readonly Diagnosis[] {
  const noise = estimateNoise(repeats);
  const causes = new Map<string, Diagnosis>();
  const allRows = [...rows.values()].flat();
  const refusing = [...rows.values()].filter((own) => shareOf(own).refused > 0);
  const decisive = refusing.length > 1 ? findDecisiveMoment(allRows) : null;
  const isNoisy = [...rows.keys()].some((subject) => noise(subject) > 0);
  const moment = decisive ?? (isNoisy ? findLikelyMoment(allRows) : null);
  for (const [subject, own] of rows) {
    const rate = noise(subject);
    const explanations =
      moment === null
        ? explain(own, rate)
        : explainByMoment(own, moment, { rate, isDecisive: decisive !== null });
    for (const explanation of explanations) {
      const diagnosis = toDiagnosis(explanation, subject);
      const isShared = explanation.kind === 'features' || explanation.kind === 'inconsistent';
      const key = isShared ? diagnosis.feature : `${diagnosis.feature} ${subject}`;
      const known = causes.get(key);
      causes.set(key, known === undefined ? diagnosis : joinDiagnoses(known, diagnosis));
    }
  }
  return [...causes.values()].toSorted((a, b) => countRefused(b) - countRefused(a));
}

function diagnoseRefusalsOfAll(rows: RowsBySubject, extent: 'target' | 'operations'): readonly Diagnosis[] {
  const each = [...rows].flatMap(([subject, own]): Diagnosis[] => {
    const all = shareOf(own);
    if (all.refused === 0) return [];
    const kind = 'everything' as const;
    return [{ ...toDiagnosis({ kind, all, exchanges: listExchanges(own) }, subject), proven: false }];
  });
  const [first, ...others] = each;
  return first === undefined || extent === 'operations' ? each : [others.reduce(joinDiagnoses, first)];
}

/**
 * Attributes refusals at `moment`, if there are any, to the moment, and other refusals to features. `isDecisive`: every
 * request at the moment was refused; otherwise the moment may explain the other refusals, too.
 */
function explainByMoment(
  own: readonly RequestRow[],
  moment: string,
  { rate, isDecisive }: { readonly rate: number; readonly isDecisive: boolean },
): readonly Explanation[] {
  const atMoment = own.filter(({ features }) => features.includes(moment));
  if (shareOf(atMoment).refused === 0) return explain(own, rate);
  const others = own.filter((row) => !atMoment.includes(row));
  const otherCauses = explain(others, rate).filter(({ kind }) => isDecisive || kind === 'features');
  const momentCause: Explanation = {
    kind: 'features',
    features: [moment],
    equivalent: [],
    with: shareOf(atMoment),
    without: shareOf(others),
    exchanges: listExchanges(isDecisive ? atMoment : own),
  };
  return [momentCause, ...otherCauses];
}

function toDiagnosis(explanation: Explanation, subject: string): Diagnosis {
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
