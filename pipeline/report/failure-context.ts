import { existsSync } from 'node:fs';
import { REPORT_FOLDER } from '../../drive/configuration/settings.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { isClientRequirement } from '../../judge/requirements/selection.ts';
import { extensionFlags } from '../../reports/failure/extension-flags.ts';
import type { FailureContext } from '../../reports/failure/failure.ts';
import type { JudgedTrace } from '../judging/traffic-judge.ts';
import type { KnownFailures } from './known-failures.ts';
import type { ReportOptions, TrafficLookup } from './report-options.ts';
import {
  claimFlag,
  gateFlags,
  keyFlag,
  rerunFlags,
  SEPARATE_FOLDER_FLAG,
  secondKeyFlag,
  selectionFlags,
} from './rerun-command.ts';

/** Baseline files proposed if none is given. `assay init` writes the first of them. */
const PROPOSED_BASELINES = { server: 'assay-baseline.json', client: 'assay-client-baseline.json' } as const;

/** The baseline to add failures to: that of the command, else the proposed one. Clients have a separate file. */
function baselineFiles(
  side: JudgedSide,
  { write, path, baseline }: KnownFailures,
): Pick<FailureContext, 'baselineFile' | 'newBaselineFile'> {
  const hasServiceEntries = baseline?.known.some(({ id }) => !isClientRequirement(id)) === true;
  const specified = write?.path ?? (side === 'client' && hasServiceEntries ? null : path);
  if (specified != null) return { baselineFile: specified };
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
export function makeFailureContext(
  { header, judgement }: JudgedTrace,
  recorded: TrafficLookup,
  { cassette, configuration, clientCommand, known, side = 'server' }: ReportOptions,
): Omit<FailureContext, 'width'> {
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
