import {
  breaksDown,
  type DiagnosisVerdict,
  type Finding,
  type RequirementVerdict,
} from '../../judge/verdict/verdict.ts';
import { groupBy } from '../../schemas/maps.ts';
import { plural } from '../../schemas/message-text.ts';
import { DAMAGE, damageOf } from '../damage.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { openCauses, toleratedFailures, unexcusedRequirements } from '../selection.ts';
import { diagnosisWords, operationWords } from '../words/diagnosis.ts';
import { invalidKinds } from '../words/gate-reason.ts';
import { type FailureContext, type FailureText, failureText } from './failure.ts';

/**
 * One reported defect: failures that probably have one cause, or a cause of refusals. The first failure is shown in
 * full, the others by their place. All invalid requests that an operation accepts are one item, even a single one.
 */
export interface BrokenItem {
  /** The failure to show in full. For a cause: a requirement that it breaks, with the cause as its only finding. */
  readonly first: ReportedRequirement;
  /** The other failures in the given order; empty for a single failure and for a cause. */
  readonly alike: readonly ReportedRequirement[];
  /**
   * `accepts-invalid`: an operation accepts invalid requests. `breaks-on-invalid`: it responds to them with 5xx, or not
   * at all. `lacks-fields`: an object lacks several recommended fields. Null for any other failure, and for a cause.
   */
  readonly shape: 'accepts-invalid' | 'breaks-on-invalid' | 'lacks-fields' | null;
  /** The operation or object of a `shape`: `createChatCompletion`, `batch`. Otherwise the id of the failure or cause. */
  readonly subject: string;
  readonly says: string;
  /** Set for a cause of refusals, which is shown once however many requirements fail because of it. */
  readonly cause?: {
    readonly diagnosis: DiagnosisVerdict;
    /** The requirements that fail because of it, then those that lack evidence because of it; each may be empty. */
    readonly further: readonly {
      readonly title: string;
      readonly requirements: readonly ReportedRequirement[];
      readonly isBroken: boolean;
    }[];
  };
}

/** Suffix of the ids of requirements on recommended fields; see `x-expected` in the schemas. */
const EXPECTED_SUFFIX = '#expected';
const VALID_REQUESTS = 'valid requests';

export function groupFailures(requirements: readonly ReportedRequirement[]): readonly BrokenItem[] {
  const groups = groupBy(requirements, (one) =>
    sharesDefect(one) ? `${one.kind} ${breaksDown(one)} ${subjectOf(one)}` : one.id,
  );
  return [...groups.values()].map(([first, ...alike]) => {
    const subject = subjectOf(first);
    const count = alike.length + 1;
    if (first.kind === 'rejected') {
      const kinds = invalidKinds(count);
      return breaksDown(first)
        ? { first, alike, shape: 'breaks-on-invalid', subject, says: `breaks down on ${kinds}` }
        : { first, alike, shape: 'accepts-invalid', subject, says: `accepts ${kinds}` };
    }
    if (alike.length === 0) return singleFailure(first);
    const says = `lacks ${plural(count, 'field')} that should be present, even if null`;
    return { first, alike, shape: 'lacks-fields', subject, says };
  });
}

export function singleFailure(first: ReportedRequirement): BrokenItem {
  return { first, alike: [], shape: null, subject: first.id, says: first.says };
}

/** An item on one line, such as `createRun accepts 3 kinds of invalid requests` or `ID: It is null.` */
export function itemLine({ subject, shape, says }: BrokenItem): string {
  return shape === null ? `${subject}: ${says}` : `${subject} ${says}`;
}

export function placeInGroup({ id }: RequirementVerdict): string {
  const place = id.slice(id.indexOf(':') + 1);
  return place.endsWith(EXPECTED_SUFFIX)
    ? place.slice(0, -EXPECTED_SUFFIX.length)
    : place.replace(/\.rejected$/, '');
}

function sharesDefect({ kind, id }: RequirementVerdict): boolean {
  return kind === 'rejected' || (id.includes(':') && id.endsWith(EXPECTED_SUFFIX));
}

/** Returns `createChatCompletion` for `createChatCompletion:body.n#maximum.rejected`. */
function subjectOf({ id }: RequirementVerdict): string {
  return id.split(':', 1)[0] ?? id;
}

/** Empty if the report lists none of the requirements that fail because of the cause. */
function causeItem(diagnosis: DiagnosisVerdict, { requirements }: Report): readonly BrokenItem[] {
  const findByIds = (ids: readonly string[]) => {
    const wanted = new Set(ids);
    return requirements.filter(({ id }) => wanted.has(id));
  };
  const { features, operations, withoutEvidence = [] } = diagnosis;
  const consequences = findByIds(diagnosis.consequences);
  const unjudged = findByIds(withoutEvidence);
  const [operation] = operations;
  const requirement = requirements.find(({ id }) => id === operation?.requirement) ?? consequences[0];
  if (operation === undefined || requirement === undefined) return [];
  const says = diagnosisWords(diagnosis);
  const finding: Finding = {
    at: features.length === 0 ? VALID_REQUESTS : `${VALID_REQUESTS} with ${features.join(' and ')}`,
    expected: 'a 2xx answer to each valid request',
    actual: says,
    exchange: operation.exchanges[0] ?? '',
    signature: '',
  };
  const first: ReportedRequirement = {
    ...requirement,
    verdict: 'fail',
    consequenceOf: [],
    findings: [finding],
    findingsTotal: 1,
  };
  const further = [
    {
      title: `${plural(consequences.length, 'more requirement fails', 'more requirements fail')} because of the same requests`,
      requirements: consequences,
      isBroken: true,
    },
    {
      title: `${plural(unjudged.length, 'requirement')} could not be judged because of this cause`,
      requirements: unjudged,
      isBroken: false,
    },
  ];
  return [{ first, alike: [], shape: null, subject: operation.id, says, cause: { diagnosis, further } }];
}

export function citesStatus({ at }: Finding): boolean {
  return at === 'status' || at.startsWith(VALID_REQUESTS);
}

export function itemText({ first, subject, says, cause }: BrokenItem, context: FailureContext): FailureText {
  const text = failureText(first, context);
  if (cause === undefined) return text;
  const findings = text.findings.map((finding) => ({ ...finding, actual: says }));
  return { ...text, id: subject, findings, more: operationWords(cause.diagnosis).join('; ') || null };
}

export function brokenPins({ choices }: Report): readonly ReportedRequirement[] {
  return choices.flatMap(({ id, spec, says, taken, exchanges = [], pinned }): ReportedRequirement[] => {
    if (pinned === undefined) return [];
    const findings = taken.flatMap((alternative, n): Finding[] => {
      if (alternative === pinned) return [];
      const expected = `${JSON.stringify(pinned)}, pinned by the dialect`;
      // Null if no exchange shows the alternative; absent in older reports.
      const exchange = exchanges[n] ?? '';
      return [{ exchange, at: 'the choice', expected, actual: alternative, signature: alternative }];
    });
    return [
      {
        id,
        kind: 'behaviour',
        family: 'choices',
        operations: [],
        level: 'MUST',
        basis: 'pinned',
        spec,
        says: `Left open by the specification, pinned by the dialect: ${says}`,
        verdict: 'fail',
        reason: null,
        cause: null,
        consequenceOf: [],
        observations: taken.length,
        baseline: null,
        findings,
        findingsTotal: findings.length,
      },
    ];
  });
}

/** Broken pins, then failures by damage with causes of refusals among them, then SHOULDs. */
export function brokenItems(report: Report): readonly BrokenItem[] {
  const fails = groupFailures(unexcusedRequirements(report, 'fail'));
  const precedesRefusals = ({ first }: BrokenItem) => damageOf(first) < DAMAGE.refusal;
  return [
    ...groupFailures(brokenPins(report)),
    ...fails.filter(precedesRefusals),
    ...openCauses(report).flatMap((diagnosis) => causeItem(diagnosis, report)),
    ...fails.filter((one) => !precedesRefusals(one)),
    ...groupFailures(unexcusedRequirements(report, 'warn')),
  ];
}

export function toleratedItems(report: Report): readonly BrokenItem[] {
  return groupFailures(toleratedFailures(report));
}
