import { existsSync } from 'node:fs';
import type { RunConfiguration, Settings } from '../../drive/configuration/configuration.ts';
import { REPORT_FOLDER } from '../../drive/configuration/settings.ts';
import { claimedNames } from '../../exchange/claims.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Hint } from '../../exchange/note.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { failGateForBaseline } from '../../judge/baseline/baseline-gate.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { isClientRequirement } from '../../judge/requirements/selection.ts';
import { evaluateGate } from '../../judge/verdict/gate.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { type Comparison, compareReports } from '../../reports/comparison/compare.ts';
import { extensionFlags } from '../../reports/failure/extension-flags.ts';
import type { FailureContext } from '../../reports/failure/failure.ts';
import { makeReport } from '../../reports/make-report.ts';
import type { Report } from '../../reports/report.ts';
import type { JudgedTrace } from '../judging/traffic-judge.ts';
import { countExcused } from '../setup/dialects.ts';
import type { RecordedTraffic } from '../traffic/recorded-traffic.ts';
import { applyKnownFailures, type KnownFailures } from './known-failures.ts';
import { committedMutationScore } from './mutation-score.ts';
import {
  claimFlag,
  gateFlags,
  keyFlag,
  rerunFlags,
  SEPARATE_FOLDER_FLAG,
  secondKeyFlag,
  selectionFlags,
} from './rerun-command.ts';

/** Minimum number of excusable failures for which `compatible` is proposed; fewer are better examined one by one. */
const MIN_EXCUSABLE_FAILURES = 3;

/** Baseline files proposed if none is given. `assay init` writes the first of them. */
const PROPOSED_BASELINES = { server: 'assay-baseline.json', client: 'assay-client-baseline.json' } as const;

export interface ReportWithEvidence {
  /** The content of `report.json`, with the baseline applied. */
  readonly report: Report;
  readonly context: Omit<FailureContext, 'width'>;
  /** The outcome of writing a baseline; null if none was requested. */
  readonly baseline: ReturnType<typeof applyKnownFailures>['written'];
  /** Whether the traffic is that of a run, which states its claims, and not of a proxy or another recorder. */
  readonly isRun: boolean;
  readonly comparison: Comparison | null;
}

export interface ReportOptions {
  /** The settings of the gate and of the report folder, and those that the printed commands repeat. */
  readonly configuration: RunConfiguration | Settings;
  readonly side?: JudgedSide;
  readonly known: KnownFailures;
  readonly earlierReport?: Report | null;
  /** Start of the run by `performance.now()`; null if not measured. */
  readonly began: number | null;
  /** The path of the cassette, as shell words and relative to the report. */
  readonly cassette: { readonly words: string; readonly relative: string | null };
  /** The command that judges the client again. Default: `assay check` of the cassette. */
  readonly clientCommand?: string | null;
}

/** The parts of recorded traffic that a report uses; `source` is needed only if the traffic spans several files. */
export type TrafficLookup = Pick<RecordedTraffic, 'header' | 'exchange' | 'size' | 'began' | 'beganAt'> &
  Partial<Pick<RecordedTraffic, 'source'>>;

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
  const hints = [...(judgement.hints ?? []), ...dialectHint(judgement, header, recorded)];
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
  const context = failureContextOf(judged, recorded, options);
  return { report, context, baseline: written, isRun, comparison };
}

function dialectHint(
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

/** The baseline to add failures to: that of the command, else the proposed one. Clients have a separate file. */
function baselineFiles(
  side: JudgedSide,
  { write, path, baseline }: KnownFailures,
): Pick<FailureContext, 'baselineFile' | 'newBaselineFile'> {
  const hasServiceEntries = baseline?.known.some(({ id }) => !isClientRequirement(id)) === true;
  if (side === 'client' && hasServiceEntries && write === null)
    return { newBaselineFile: PROPOSED_BASELINES.client };
  const specified = write?.path ?? path ?? null;
  if (specified !== null) return { baselineFile: specified };
  const proposed = PROPOSED_BASELINES[side === 'client' ? 'client' : 'server'];
  // A file that exists is also given as the baseline, so that its entries apply.
  return existsSync(proposed) ? { baselineFile: proposed } : { newBaselineFile: proposed };
}

function baselineFlag(
  { path, write }: KnownFailures,
  { standingBaseline }: ReportOptions['configuration'],
): string {
  return path == null || write !== null || path === standingBaseline ? '' : ` --baseline ${shellQuote(path)}`;
}

/** Extensions of this run that the configuration does not load; empty unless the baseline is the configured one. */
function unconfiguredExtensions(
  { path, write }: KnownFailures,
  { standingBaseline, standingExtension, extension }: ReportOptions['configuration'],
): readonly string[] {
  const isConfiguredBaseline = standingBaseline != null && (write?.path ?? path) === standingBaseline;
  if (!isConfiguredBaseline || standingExtension === undefined) return [];
  return extension.filter((file) => !standingExtension.includes(file));
}

/** Commands contain neither keys nor the values of `--header`; `clientCommand` is printed as it was given. */
function failureContextOf(
  { header, judgement }: JudgedTrace,
  recorded: TrafficLookup,
  { cassette, configuration, clientCommand, known, side = 'server' }: ReportOptions,
): ReportWithEvidence['context'] {
  const headerFlags = configuration.headers.map(([name]) => ` --header ${shellQuote(`${name}: …`)}`).join('');
  const { keyVariable, secondKey, dialect, report, reportDir } = configuration;
  // A dialect in a file is found by its path, not by its name.
  const dialectName =
    typeof dialect === 'string' ? dialect : (dialect?.given ?? header.dialect?.name ?? null);
  const rerunHeader =
    header.dialect === null || dialectName === null
      ? header
      : { ...header, dialect: { ...header.dialect, name: dialectName } };
  const claim = claimFlag(header, configuration);
  const noConfigFlag = configuration.ignoresFile === true ? ' --no-config' : '';
  const dialectFlag = dialectName === null ? '' : ` --dialect ${shellQuote(dialectName)}`;
  const judgingFlags = `${dialectFlag}${extensionFlags()}${claim}${noConfigFlag}`;
  const gate = `${baselineFlag(known, configuration)}${gateFlags(configuration)}`;
  const buildCommand = (exchange?: Exchange) =>
    `npx assay run${rerunFlags(rerunHeader, exchange)}${keyFlag(header, keyVariable)}${secondKeyFlag(secondKey)}${headerFlags}${noConfigFlag}${gate}`;
  return {
    exchange: (id) => recorded.exchange(id),
    timeline: { size: recorded.size, began: (id) => recorded.beganAt(id) },
    rerunCommand: (id, exchange) => {
      if (isClientRequirement(id))
        return clientCommand ?? `npx assay check --side client ${cassette.words}${judgingFlags}`;
      const others = () =>
        judgement.requirements
          .find((requirement) => requirement.id === id)
          ?.findings.map((finding) => recorded.exchange(finding.exchange)) ?? [];
      return `${buildCommand(exchange)}${claim}${selectionFlags(id, exchange, others)}${SEPARATE_FOLDER_FLAG}`;
    },
    claimCommand: (names) => `${buildCommand()} --claim ${names.join(',')}`,
    // The embedded reference of the run no longer listens on its port.
    baseUrl: header.target.name === 'reference' ? null : recorded.header.target.baseUrl,
    keyVariable,
    ...(secondKey !== null && { secondKeyVariable: secondKey.variable }),
    cassette: cassette.words,
    judgingFlags,
    reportDir: report.includes('json') && reportDir !== REPORT_FOLDER ? reportDir : null,
    only: header.filters.only,
    ...baselineFiles(side, known),
    missingExtensions: unconfiguredExtensions(known, configuration),
    source: (id) => {
      const source = recorded.source?.(id) ?? null;
      return source === null ? null : { path: shellQuote(source.path), id: source.id };
    },
  };
}
