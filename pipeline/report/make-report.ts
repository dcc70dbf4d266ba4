import type { RunConfiguration } from '../../drive/configuration.ts';
import { keyNames } from '../../drive/settings.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { breakGate } from '../../judge/baseline.ts';
import { gate } from '../../judge/gate.ts';
import { matchesAny } from '../../judge/glob.ts';
import { quote } from '../../reports/again.ts';
import type { Evidence } from '../../reports/failure.ts';
import { makeReport, type Report } from '../../reports/report.ts';
import type { JudgedTrace } from '../judging/trace-judge.ts';
import type { RecordedTraffic } from '../recorded-traffic.ts';
import { type KnownFailures, overlay } from './known-failures.ts';
import { proofScore } from './proof-score.ts';
import { againFlags } from './rerun-command.ts';

/** A report with the evidence that its failures are printed with. */
export interface ReportWithEvidence {
  readonly report: Report;
  readonly evidence: Omit<Evidence, 'width'>;
  /** The baseline that was written, and the number of its entries; null where none was asked for. */
  readonly baseline: ReturnType<typeof overlay>['written'];
}

export interface ReportOptions {
  readonly configuration: Pick<RunConfiguration, 'failOn' | 'allowInconclusive' | 'headers' | 'keyVariable'>;
  readonly known: KnownFailures;
  /** When the run began, by the clock of `performance`; null where that was not measured. */
  readonly began: number | null;
  /** Where the cassette lies, for people and seen from the report. */
  readonly cassette: { readonly shown: string; readonly relative: string | null };
}

/** The report of a judged trace. `recorded`: the traffic that its findings cite. */
export function reportOf(
  judged: JudgedTrace,
  recorded: Pick<RecordedTraffic, 'header' | 'exchange'>,
  options: ReportOptions,
): ReportWithEvidence {
  const { header, exclusions } = judged;
  const { configuration, known, began, cassette } = options;
  const { judgement, problems, written } = overlay(judged.judgement, known);
  const report = makeReport({
    header,
    judgement,
    gate: breakGate(
      gate(judgement, { ...configuration, traffic: isRun(recorded.header) ? 'run' : 'any' }),
      problems,
    ),
    exclusions,
    seconds: began === null ? null : Math.round(performance.now() - began) / 1000,
    cassette: cassette.relative,
    proof: proofScore(),
  });
  return { report, evidence: evidenceOf(judged, recorded, options), baseline: written };
}

/** A run of ours says what it claims; a recording proxy claims nothing. */
function isRun({ claims }: TraceHeader): boolean {
  return claims.families.length > 0 || claims.how !== 'default';
}

function evidenceOf(
  { header, shows }: JudgedTrace,
  recorded: Pick<RecordedTraffic, 'header' | 'exchange'>,
  { cassette, configuration }: Pick<ReportOptions, 'cassette' | 'configuration'>,
): ReportWithEvidence['evidence'] {
  // What the fields said may be secret.
  const fields = configuration.headers.map(([name]) => ` --header ${quote(`${name}: …`)}`).join('');
  const { keyVariable } = configuration;
  const isNamed = header.key && !keyNames.includes(keyVariable);
  const key = isNamed ? ` --api-key-env ${quote(keyVariable)}` : '';
  const command = (exchange?: Exchange) => `npx assay run${againFlags(header, exchange)}${key}${fields}`;
  return {
    exchange: (id) => recorded.exchange(id),
    again: (id, exchange) => {
      // --only runs the scenarios that are meant to show it; what another one met on its way is met only there.
      const scenario = exchange?.scenario ?? null;
      const isMeant = scenario === null || matchesAny(shows.get(scenario) ?? [], id);
      const alone = `--only ${quote(id)}${isMeant ? '' : ` --scenario ${quote(scenario)}`}`;
      // The report that it stands in is still wanted.
      return `${command(exchange)} ${alone} --report-dir assay-again`;
    },
    claiming: (families) => `${command()} --claim ${families.join(',')}`,
    baseUrl: recorded.header.target.baseUrl,
    keyVariable,
    cassette: cassette.shown,
  };
}
