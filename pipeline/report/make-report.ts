import { claimedNames } from '../../exchange/claims.ts';
import type { Hint } from '../../exchange/note.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { failGateForBaseline } from '../../judge/baseline/baseline-gate.ts';
import { evaluateGate } from '../../judge/verdict/gate.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { type Comparison, compareReports } from '../../reports/comparison/compare.ts';
import { makeReport } from '../../reports/make-report.ts';
import type { Report } from '../../reports/report.ts';
import type { JudgedTrace } from '../judging/traffic-judge.ts';
import { countExcused } from '../setup/dialects.ts';
import { makeFailureContext } from './failure-context.ts';
import { applyKnownFailures } from './known-failures.ts';
import { committedMutationScore } from './mutation-score.ts';
import type { ReportOptions, TrafficLookup } from './report-options.ts';

/** Minimum number of excusable failures for which `compatible` is proposed; fewer are better examined one by one. */
const MIN_EXCUSABLE_FAILURES = 3;

export interface ReportWithEvidence {
  /** The content of `report.json`, with the baseline applied. */
  readonly report: Report;
  readonly context: ReturnType<typeof makeFailureContext>;
  /** The outcome of writing a baseline; null if none was requested. */
  readonly baseline: ReturnType<typeof applyKnownFailures>['written'];
  /** Whether the traffic is that of a run, which states its claims, and not of a proxy or another recorder. */
  readonly isRun: boolean;
  readonly comparison: Comparison | null;
}

export function makeReportWithEvidence(
  judged: JudgedTrace,
  recorded: TrafficLookup,
  options: ReportOptions,
): ReportWithEvidence {
  const { header, exclusions, freeEvidence } = judged;
  const { configuration, side = 'server', known, earlierReport = null, began, cassette } = options;
  const { strictBaseline: isStrict } = configuration;
  // Only the recording of a run states claims; a proxy judges by the claims of its settings.
  const { claims, shard } = recorded.header;
  const isRun = claimedNames(claims).length > 0 || claims.how !== 'default';
  const judgementWithSources = withSources(judged.judgement, recorded.source);
  const { judgement, problems, written } = applyKnownFailures(judgementWithSources, known, {
    isRun,
    isSelection: judged.judgement.isSelection === true,
    isShard: shard !== null,
    isStrict,
  });
  const traffic = isRun ? 'run' : 'any';
  const gate = evaluateGate(judgement, { ...configuration, side, traffic, only: header.filters.only });
  const hints = [...(judgement.hints ?? []), ...dialectHints(judgement, header, recorded)];
  const report = makeReport({
    header,
    side,
    judgement: { ...judgement, hints },
    // Baseline entries that match nothing are reported, so that none outlives its failure.
    gate: failGateForBaseline(gate, problems, { isStrict }),
    strictBaseline: isStrict,
    exclusions,
    freeEvidence,
    // From the recording, so that a later check of the cassette gives the same date.
    date: recorded.began === null ? null : dateOf(recorded.began),
    seconds: began === null ? null : Math.round(performance.now() - began) / 1000,
    cassette: cassette.relative,
    proof: committedMutationScore(),
  });
  const comparison = earlierReport === null ? null : compareReports(earlierReport, report);
  const context = makeFailureContext(judged, recorded, options);
  return { report, context, baseline: written, isRun, comparison };
}

function dialectHints(
  { requirements }: Judgement,
  { dialect, betaHeader, target }: TraceHeader,
  recorded: TrafficLookup,
): readonly Hint[] {
  if (dialect !== null) return [];
  const failing = requirements.filter(({ verdict, baseline }) => verdict === 'fail' && baseline === null);
  const traffic = { exchange: (id: string) => recorded.exchange(id), betaHeader };
  const propose = (name: 'openai' | 'compatible', minimum: number): readonly Hint[] => {
    const failures = countExcused(name, failing, traffic);
    return failures < minimum ? [] : [{ kind: 'dialect-would-excuse', dialect: name, failures }];
  };
  if (URL.canParse(target.baseUrl) && new URL(target.baseUrl).hostname === 'api.openai.com')
    return propose('openai', 1);
  return failing.length < MIN_EXCUSABLE_FAILURES ? [] : propose('compatible', MIN_EXCUSABLE_FAILURES);
}

function withSources(judgement: Judgement, sourceOf: TrafficLookup['source']): Judgement {
  if (sourceOf === undefined) return judgement;
  const requirements = judgement.requirements.map((requirement) => {
    if (requirement.findings.length === 0) return requirement;
    const findings = requirement.findings.map((finding) => {
      const source = sourceOf(finding.exchange);
      return source === null ? finding : { ...finding, source };
    });
    return { ...requirement, findings };
  });
  return { ...judgement, requirements };
}

function dateOf(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.valueOf()) ? null : date.toISOString().replace(/\.\d+Z$/, 'Z');
}
