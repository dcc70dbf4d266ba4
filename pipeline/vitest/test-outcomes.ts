import type { Settings } from '../../drive/configuration/configuration.ts';
import { tolerableKind, undecidedMusts } from '../../judge/verdict/gate.ts';
import { acceptanceLabel } from '../../reports/accepted-groups.ts';
import { failureText, plainFailure } from '../../reports/failure/failure.ts';
import type { ReportedRequirement } from '../../reports/report.ts';
import type { ReportWithEvidence } from '../report/make-report.ts';

/** Width of the messages of failed tests, in columns. */
const TEXT_WIDTH = 120;

export type TestOutcome =
  | { readonly kind: 'passed' }
  /** Passed, with a remark: a failure that does not fail the run, or an erratum that applied. */
  | { readonly kind: 'annotated'; readonly message: string }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The outcome of the test of each requirement, by id. */
export function testOutcomes(
  { report, context }: Pick<ReportWithEvidence, 'report' | 'context'>,
  { failOn, allowInconclusive, tolerate }: Pick<Settings, 'failOn' | 'allowInconclusive' | 'tolerate'>,
): ReadonlyMap<string, TestOutcome> {
  const undecided = new Set(undecidedMusts(report.requirements));
  return new Map(report.requirements.map((one) => [one.id, outcomeOf(one)]));

  function outcomeOf(one: ReportedRequirement): TestOutcome {
    const reason = one.reason ?? one.verdict;
    // The test is skipped, not passed, so that a known failure stays visible.
    if (one.baseline !== null) return { kind: 'skipped', reason: `${acceptanceLabel(one)}: ${one.baseline}` };
    switch (one.verdict) {
      case 'pass':
        return { kind: 'passed' };
      case 'fail':
        return failureOutcome(one, failOn === 'never' || isTolerated(one) ? 'annotated' : 'failed');
      case 'warn':
        return failureOutcome(one, failOn === 'should' ? 'failed' : 'annotated');
      case 'untested':
        return { kind: 'skipped', reason };
      case 'excused':
        return { kind: 'annotated', message: `excused by the dialect: ${reason}` };
      case 'inconclusive':
        return undecided.has(one) && !allowInconclusive
          ? { kind: 'failed', message: `inconclusive: ${reason}` }
          : { kind: 'skipped', reason: `inconclusive: ${reason}` };
      case 'error':
        return { kind: 'failed', message: `a defect of assay, not of the target: ${reason}` };
    }
  }

  function isTolerated(one: ReportedRequirement): boolean {
    const kind = tolerableKind(one);
    return kind !== null && tolerate.includes(kind);
  }

  function failureOutcome(one: ReportedRequirement, kind: 'failed' | 'annotated'): TestOutcome {
    return { kind, message: plainFailure(failureText(one, { ...context, width: TEXT_WIDTH })) };
  }
}
