import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPORT_FOLDER } from '../../drive/configuration/settings.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { printable } from '../../exchange/printable.ts';
import { isFile } from '../../exchange/regular-file.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { causeParts } from '../../judge/requirements/refusal-causes.ts';
import type { ChoiceVerdict, Finding } from '../../judge/verdict/verdict.ts';
import { acceptanceLabel } from '../../reports/accepted-groups.ts';
import { distinctFindings, printableFinding } from '../../reports/failure/failure.ts';
import type { Report, ReportedRequirement } from '../../reports/report.ts';
import { takenWords } from '../../reports/summary/choices.ts';
import { compact, plural } from '../../schemas/message-text.ts';
import { readReport } from '../report/read-report.ts';
import { UsageError } from '../setup/usage-error.ts';
import { withRecordedTraffic } from '../traffic/recorded-traffic.ts';

export const NO_REPORT = `${REPORT_FOLDER}/ has no report.json: assay run writes it, and --report names another one`;

export interface LastRun {
  readonly path: string;
  readonly report: Report;
}

/** The named report, else that in the default folder; null without one. Throws UsageError if it cannot be read. */
export function readLastRun(named: string | null): LastRun | null {
  const path = named ?? REPORT_FOLDER;
  if (named !== null && !existsSync(named))
    throw new UsageError(`--report ${named} does not exist. Name the report.json of a run, or its folder.`);
  if (named === null && !existsSync(join(path, 'report.json'))) return null;
  return { path, report: readReport(path) };
}

export interface EarlierFinding {
  readonly finding: Finding;
  /** Null without the cassette of the run; `exchange` is then undefined. */
  readonly header: TraceHeader | null;
  readonly exchange: Exchange | undefined;
  readonly exchanges: readonly (Exchange | undefined)[];
}

export interface LastRunContext {
  readonly last: LastRun | null;
  readonly earlier: EarlierFinding | null;
  readonly width: number;
}

/** Rows about the entry in the last run, or the hint that there is no report. Empty if the report does not list it. */
export function lastRunRows(
  id: string,
  { last, earlier, width }: LastRunContext,
): readonly (readonly string[])[] {
  if (last === null) return [['last run', NO_REPORT]];
  const { date } = last.report;
  const when = date == null ? '' : ` (${date.slice(0, 16).replace('T', ' ')} UTC)`;
  const choice = last.report.choices.find((other) => other.id === id);
  if (choice !== undefined) return choiceRows(choice, last, when);
  const requirement = last.report.requirements.find((other) => other.id === id);
  if (requirement === undefined) return [];
  const verdict = [`in ${last.path}`, `${verdictWords(requirement, last.report)}${when}`];
  const look = lookCommand(requirement, earlier?.finding ?? null, last);
  return [verdict, ...findingRows(earlier, width), ...(look === null ? [] : [['look', look]])];
}

function findingRows(earlier: EarlierFinding | null, width: number): readonly (readonly string[])[] {
  if (earlier === null) return [];
  const { at, expected, actual } = printableFinding(earlier.finding, width);
  return [
    ['at', at],
    ['expected', expected],
    ['actual', actual],
  ];
}

function choiceRows(choice: ChoiceVerdict, last: LastRun, when: string): readonly (readonly string[])[] {
  const { taken, exchanges = [] } = choice;
  const words = taken.length === 0 ? 'not shown' : `takes ${takenWords(choice).map(printable).join(' and ')}`;
  const exchangeIds = [...new Set(exchanges.flatMap((one) => one ?? []))];
  const path = existingCassette(last);
  const look =
    exchangeIds.length === 0 || path === null
      ? `npx assay list --taken --report ${shellQuote(last.path)}`
      : `npx assay show ${shellQuote(path)} ${exchangeIds.join(' ')}`;
  return [
    [`in ${last.path}`, `${words}${when}`],
    ['look', look],
  ];
}

function verdictWords(requirement: ReportedRequirement, { requirements }: Report): string {
  const { verdict, reason, observations, findingsTotal, baseline } = requirement;
  // The entries that one run adds share its --baseline-reason, and one entry accepts everything that its cause breaks.
  const shared = requirements.filter((other) => other.baseline === baseline).length;
  const facts = compact(
    reason !== null && printable(reason),
    findingsTotal > 0 && plural(findingsTotal, 'finding'),
    reason === null && observations > 0 && `${observations} seen`,
    baseline !== null &&
      `${acceptanceLabel(requirement)}: ${printable(baseline)}${shared > 1 ? ` (one reason for ${shared} requirements, not for this one alone)` : ''}`,
  );
  return facts.length === 0 ? verdict : `${verdict}: ${facts.join('; ')}`;
}

export async function findEarlierFinding(id: string, last: LastRun | null): Promise<EarlierFinding | null> {
  const cause = causeParts(id);
  const broken = last?.report.requirements.find((one) => one.id === (cause?.requirement ?? id));
  const requirement =
    broken === undefined || cause === null
      ? broken
      : { ...broken, findings: broken.findings.filter(({ causeId }) => causeId === id) };
  const [first] = requirement?.findings ?? [];
  if (last === null || requirement === undefined || first === undefined) return null;
  const path = existingCassette(last);
  if (path === null) return { finding: first, header: null, exchange: undefined, exchanges: [] };
  return withRecordedTraffic([path], async (recorded) => {
    const [finding = first] = distinctFindings(requirement, {
      exchange: (shown) => recorded.exchange(shown),
    });
    const exchanges = requirement.findings.map((one) => recorded.exchange(one.exchange));
    return { finding, header: recorded.header, exchange: recorded.exchange(finding.exchange), exchanges };
  });
}

export function existingCassette({ path, report: { cassette } }: LastRun): string | null {
  const folder = cassette === null ? null : cassetteOf(path, cassette);
  return folder !== null && existsSync(folder) ? folder : null;
}

function cassetteOf(path: string, cassette: string): string {
  return join(isFile(path) ? dirname(path) : path, cassette);
}

function lookCommand(
  { cause, shownBy = [] }: ReportedRequirement,
  finding: Finding | null,
  { path, report }: LastRun,
): string | null {
  if (report.cassette === null) return null;
  const cassette = cassetteOf(path, report.cassette);
  if (!existsSync(cassette)) return `none: the cassette ${cassette} does not exist`;
  const show = `npx assay show ${shellQuote(cassette)}`;
  const exchange = finding?.exchange ?? (cause !== null && 'exchange' in cause ? cause.exchange : null);
  if (exchange !== null) return `${show} ${exchange}`;
  if (shownBy.length > 0) return `${show} ${shownBy.join(' ')}`;
  const expected = cause?.kind === 'no-evidence' ? cause.expected : undefined;
  if (expected === undefined) return null;
  if (expected.nearest !== undefined) return `${show} ${expected.nearest.join(' ')}`;
  const [first] = expected.received;
  if (expected.scenarios !== undefined && first !== undefined && first.exchange !== '')
    return `${show} ${first.exchange}`;
  return `${show} | grep ${shellQuote(expected.scenario)}`;
}
