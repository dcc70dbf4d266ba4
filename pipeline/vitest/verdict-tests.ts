import { tolerableAs } from '../../judge/verdict/gate.ts';
import type { Tolerable } from '../../judge/verdict/verdict.ts';
import { failureText, plainFailure } from '../../reports/failure/failure.ts';
import type { ReportedRequirement } from '../../reports/report.ts';
import type { ReportWithEvidence } from '../report/make-report.ts';

export type TestOutcome =
  | { readonly ends: 'passed' }
  /** Passed, with a remark: a broken SHOULD, an erratum that applied. */
  | { readonly ends: 'annotated'; readonly message: string }
  | { readonly ends: 'skipped'; readonly reason: string }
  | { readonly ends: 'failed'; readonly message: string };

const WIDTH = 120;

/** The outcome of each requirement by id. A test fails where `assay run` would fail. */
export function testOutcomes(
  { report, context: evidence }: ReportWithEvidence,
  { failOn, allowInconclusive, tolerate = [] }: GateLevels,
): ReadonlyMap<string, TestOutcome> {
  return new Map(report.requirements.map((one) => [one.id, outcomeOf(one)]));

  function outcomeOf(one: ReportedRequirement): TestOutcome {
    const reason = one.reason ?? one.verdict;
    // Skipped, not passed, so that a known failure stays visible.
    if (one.baseline !== null) return { ends: 'skipped', reason: `known failure: ${one.baseline}` };
    switch (one.verdict) {
      case 'pass':
        return { ends: 'passed' };
      case 'fail':
        return broken(one, failOn === 'never' || isTolerated(one) ? 'annotated' : 'failed');
      case 'warn':
        return broken(one, failOn === 'should' ? 'failed' : 'annotated');
      case 'untested':
        return { ends: 'skipped', reason };
      case 'excused':
        return { ends: 'annotated', message: `excused by the dialect: ${reason}` };
      case 'inconclusive':
        return one.level === 'MUST' && !allowInconclusive
          ? { ends: 'failed', message: `inconclusive: ${reason}` }
          : { ends: 'skipped', reason: `inconclusive: ${reason}` };
      case 'error':
        return { ends: 'failed', message: `a defect of assay, not of the target: ${reason}` };
    }
  }

  function isTolerated(one: ReportedRequirement): boolean {
    const kind = tolerableAs(one);
    return kind !== null && tolerate.includes(kind);
  }

  function broken(one: ReportedRequirement, ends: 'failed' | 'annotated'): TestOutcome {
    return { ends, message: plainFailure(failureText(one, { ...evidence, width: WIDTH })) };
  }
}

interface GateLevels {
  readonly failOn: 'must' | 'should' | 'never';
  readonly allowInconclusive: boolean;
  readonly tolerate?: readonly Tolerable[];
}
