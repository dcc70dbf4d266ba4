// A cause of refusals as a failure: once, however many requirements fail by the same requests.
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { diagnosisWords, operationWords } from '../words/diagnosis.ts';
import { type FailureContext, type FailureText, failureText } from './failure.ts';

/** A cause, and what else fails for it. */
export interface CauseOfFailures {
  readonly text: FailureText;
  /** The requirement that it breaks, with the finding of the cause alone. */
  readonly shown: RequirementVerdict;
  readonly consequences: readonly ReportedRequirement[];
  /** Requirements that were not judged, because their evidence needs a request that was refused for the cause. */
  readonly withoutEvidence: readonly ReportedRequirement[];
}

/** The parts of a cause in reading order. Null where the report lists none of its requirements. */
export function causeOfFailures(
  diagnosis: DiagnosisVerdict,
  report: Report,
  context: FailureContext,
): CauseOfFailures | null {
  const named = (ids: readonly string[]) => {
    const names = new Set(ids);
    return report.requirements.filter(({ id }) => names.has(id));
  };
  const consequences = named(diagnosis.consequences);
  const [operation] = diagnosis.operations;
  const requirement = report.requirements.find(({ id }) => id === operation?.requirement) ?? consequences[0];
  if (operation === undefined || requirement === undefined) return null;
  const shown: RequirementVerdict = {
    ...requirement,
    verdict: 'fail',
    consequenceOf: [],
    findings: [
      {
        at: placeOf(diagnosis),
        expected: 'a 2xx answer to each valid request',
        actual: diagnosisWords(diagnosis),
        exchange: operation.exchanges[0] ?? '',
        signature: '',
      },
    ],
    findingsTotal: 1,
  };
  const text = failureText(shown, context);
  const [finding] = text.findings;
  // The words of a cause are shown whole: they are ours, and short.
  const findings = finding === undefined ? [] : [{ ...finding, actual: diagnosisWords(diagnosis) }];
  const more = operationWords(diagnosis);
  return {
    shown,
    text: { ...text, id: operation.id, findings, more: more.length === 0 ? null : more.join('; ') },
    consequences,
    withoutEvidence: named(diagnosis.withoutEvidence ?? []),
  };
}

/** How many requirements fail for the cause as well: `12 requirements fail by the same requests`. */
export function consequencesTitle({ length }: readonly unknown[]): string {
  return `${length} more ${length === 1 ? 'requirement fails' : 'requirements fail'} by the same requests:`;
}

/** How many requirements a cause leaves without evidence: `3 requirements could not be judged for this cause`. */
export function withoutEvidenceTitle({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'requirement' : 'requirements'} could not be judged for this cause:`;
}

function placeOf({ features }: DiagnosisVerdict): string {
  return features.length === 0 ? 'valid requests' : `valid requests with ${features.join(' and ')}`;
}
