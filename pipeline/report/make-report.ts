import { existsSync } from 'node:fs';
import type { RunConfiguration } from '../../drive/configuration/configuration.ts';
import { REPORT_FOLDER } from '../../drive/configuration/settings.ts';
import { claimedNames } from '../../exchange/claims.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { failGateForBaseline } from '../../judge/baseline/baseline.ts';
import { isOnClient } from '../../judge/requirements/claimed.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { evaluateGate } from '../../judge/verdict/gate.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { type Comparison, compareReports } from '../../reports/comparison/compare.ts';
import { shellQuote } from '../../reports/failure/curl-command.ts';
import type { FailureContext } from '../../reports/failure/failure.ts';
import { makeReport, type Report } from '../../reports/report.ts';
import type { JudgedTrace } from '../judging/traffic-judge.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';
import { applyKnownFailures, type KnownFailures } from './known-failures.ts';
import { committedMutationScore } from './mutation-score.ts';
import { APART, keyFlag, rerunFlags, selectionFlags } from './rerun-command.ts';

/** A report with the evidence that its failures are printed with. */
export interface ReportWithEvidence {
  readonly report: Report;
  readonly context: Omit<FailureContext, 'width'>;
  /** The baseline that was written, and the number of its entries; null where none was asked for. */
  readonly baseline: ReturnType<typeof applyKnownFailures>['written'];
  /** What changed since an earlier report; null where none was given. */
  readonly comparison: Comparison | null;
}

/** Everything beside the judgement that a report depends on. */
export interface ReportOptions {
  readonly configuration: Pick<
    RunConfiguration,
    'failOn' | 'allowInconclusive' | 'headers' | 'keyVariable' | 'report' | 'reportDir'
  >;
  /** Who was judged; the service unless given. */
  readonly side?: JudgedSide;
  /** The baseline to apply and the one to write. */
  readonly known: KnownFailures;
  /** When the run began, by the clock of `performance`; null where that was not measured. */
  readonly began: number | null;
  /** Where the cassette lies, for people and seen from the report. */
  readonly cassette: { readonly words: string; readonly relative: string | null };
  /** Command that runs the client under test again; absent where its recording is judged. */
  readonly clientCommand?: string | null;
}

/** The part of recorded traffic that a report looks into; `source` only where it is in several files. */
type TrafficLookup = Pick<RecordedTraffic, 'header' | 'exchange' | 'size' | 'began' | 'beganAt'> &
  Partial<Pick<RecordedTraffic, 'source'>>;

/** The report of a judged trace. `recorded`: the traffic that its findings cite. */
export function reportOfJudgedTrace(
  judged: JudgedTrace,
  recorded: TrafficLookup,
  options: ReportOptions,
): ReportWithEvidence {
  const { header, exclusions, freeEvidence } = judged;
  const { configuration, side = 'server', known, began, cassette } = options;
  const { judgement, problems, written } = applyKnownFailures(
    withSources(judged.judgement, recorded.source),
    known,
    // Of the recording: a proxy judges for the claims of its settings, and its traffic is still not a run.
    { isRun: isRun(recorded.header) },
  );
  const report = makeReport({
    header,
    side,
    judgement,
    // Entries of the baseline that match nothing fail the gate: a list of known failures must not outlive its
    // failures.
    gate: failGateForBaseline(
      evaluateGate(judgement, { ...configuration, side, traffic: isRun(recorded.header) ? 'run' : 'any' }),
      problems,
    ),
    exclusions,
    freeEvidence,
    // From the recording, so that a later check of the cassette gives the same.
    date: recorded.began === null ? null : dateOf(recorded.began),
    seconds: began === null ? null : Math.round(performance.now() - began) / 1000,
    cassette: cassette.relative,
    // Readers of a report judge the suite by it: how many faults its requirements are known to detect.
    proof: committedMutationScore(),
  });
  const comparison = known.earlier == null ? null : compareReports(known.earlier, report);
  return { report, context: evidenceOf(judged, recorded, options), baseline: written, comparison };
}

/** Findings with the files that they are in, where the traffic is in several. */
function withSources(judgement: Judgement, sourceOf: TrafficLookup['source']): Judgement {
  if (sourceOf === undefined) return judgement;
  const requirements = judgement.requirements.map((one) => {
    if (one.findings.length === 0) return one;
    const findings = one.findings.map((finding) => {
      const source = sourceOf(finding.exchange);
      return source === null ? finding : { ...finding, source };
    });
    return { ...one, findings };
  });
  return { ...judgement, requirements };
}

/** The date and time of UTC, to the second; null for a number that is no time. */
function dateOf(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.valueOf()) ? null : date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A run of ours says what it claims; a recording proxy claims nothing. */
function isRun({ claims }: TraceHeader): boolean {
  return claimedNames(claims).length > 0 || claims.how !== 'default';
}

/** The folder of report.json, where commands have to name it; null for the usual one, and where that file is not written. */
function namedFolder({ report, reportDir }: ReportOptions['configuration']): string | null {
  return report.includes('json') && reportDir !== REPORT_FOLDER ? reportDir : null;
}

/** The files that are proposed where no baseline is given: for a service the one that `assay init` names, for a client one beside it. */
const PROPOSED_BASELINES = { server: 'assay-baseline.json', client: 'assay-client-baseline.json' } as const;

/**
 * The baseline that failures may be added to: that of the command, or the proposed one, which is there already or is to be begun. A
 * client has one beside the baseline of a service.
 */
function baselineFiles(
  side: JudgedSide,
  { write, path, baseline }: KnownFailures,
): Pick<FailureContext, 'baselineFile' | 'newBaselineFile'> {
  const isOfService = baseline?.known.some(({ id }) => !isOnClient(id)) === true;
  if (side === 'client' && isOfService && write === null)
    return { newBaselineFile: PROPOSED_BASELINES.client };
  const given = write?.path ?? path ?? null;
  if (given !== null) return { baselineFile: given };
  const proposed = PROPOSED_BASELINES[side === 'client' ? 'client' : 'server'];
  // One that is there has reasons, which a new one would replace.
  return existsSync(proposed) ? { baselineFile: proposed } : { newBaselineFile: proposed };
}

/** Looks up exchanges and makes the commands that reproduce a failure. No command contains a secret value. */
function evidenceOf(
  { header }: JudgedTrace,
  recorded: TrafficLookup,
  {
    cassette,
    configuration,
    clientCommand,
    known,
    side = 'server',
  }: Pick<ReportOptions, 'cassette' | 'configuration' | 'clientCommand' | 'known' | 'side'>,
): ReportWithEvidence['context'] {
  // The values of the fields may be secret.
  const fields = configuration.headers.map(([name]) => ` --header ${shellQuote(`${name}: …`)}`).join('');
  const { keyVariable } = configuration;
  const command = (exchange?: Exchange) =>
    `npx assay run${rerunFlags(header, exchange)}${keyFlag(header, keyVariable)}${fields}`;
  return {
    exchange: (id) => recorded.exchange(id),
    timeline: { size: recorded.size, began: (id) => recorded.beganAt(id) },
    again: (id, exchange) => {
      // No scenario repeats what a client sent: the client is run again, or its recording judged again.
      if (isOnClient(id)) return clientCommand ?? `npx assay check --side client ${cassette.words}`;
      // The report that it stands in is still wanted.
      return `${command(exchange)}${selectionFlags(id, exchange)}${APART}`;
    },
    claiming: (names) => `${command()} --claim ${names.join(',')}`,
    // The embedded reference is gone with its port.
    baseUrl: header.target.name === 'reference' ? null : recorded.header.target.baseUrl,
    keyVariable,
    cassette: cassette.words,
    reportDir: namedFolder(configuration),
    ...baselineFiles(side, known),
    source: (id) => {
      const source = recorded.source?.(id) ?? null;
      return source === null ? null : { path: shellQuote(source.path), id: source.id };
    },
  };
}
