import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Exchange } from '../../exchange/exchange.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { causeParts } from '../../judge/requirements/refusals.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import type { ChoiceVerdict, Finding } from '../../judge/verdict/verdict.ts';
import { acceptedAs } from '../../reports/accepted.ts';
import { shellQuote } from '../../reports/failure/curl-command.ts';
import { printable } from '../../reports/failure/excerpt.ts';
import { distinctFindings, findingText } from '../../reports/failure/failure.ts';
import { plural, type Report, type ReportedRequirement } from '../../reports/report.ts';
import { takenWords } from '../../reports/words/taken.ts';
import { readReport } from '../report/read-report.ts';
import { openRecordedTraffic } from '../traffic/recorded-traffic.ts';
import { UsageError } from '../usage-error.ts';

/** The report of an earlier run, and where it lies. */
export interface LastRun {
  readonly path: string;
  readonly report: Report;
}

/** Folder of the reports where none is named. */
const USUAL_FOLDER = 'assay-report';

/**
 * The report that is named, or that of the usual folder; null where that has none. Throws UsageError where the named one is not
 * there, or is not a report.
 */
export function lastRun(named: string | null): LastRun | null {
  const path = named ?? USUAL_FOLDER;
  if (named !== null && !existsSync(named))
    throw new UsageError(`--report ${named} does not exist. Name the report.json of a run, or its folder.`);
  if (named === null && !existsSync(join(path, 'report.json'))) return null;
  return { path, report: readReport(path) };
}

/** Where no report is found in the usual folder. */
export const NO_REPORT = `${USUAL_FOLDER}/ has no report.json: assay run writes it, and --report names another one`;

/** A finding of a run, and its exchange where the traffic is still there. */
export interface FoundEarlier {
  readonly finding: Finding;
  readonly header: TraceHeader | null;
  readonly exchange: Exchange | undefined;
}

/** What is known of the requirement or choice that is explained. */
interface Explained {
  readonly last: LastRun | null;
  /** The finding that the report of the run prints first. */
  readonly found: FoundEarlier | null;
  /** Columns of the page. */
  readonly width: number;
}

/**
 * The verdict of the run on a requirement, its first finding, or why nothing was shown, and the command that prints what came; on a
 * choice the alternatives that the target takes. Without a report, one row says so. Empty for entries that the report does not list.
 */
export function lastRunRows(id: string, { last, found, width }: Explained): readonly (readonly string[])[] {
  if (last === null) return [['last run', NO_REPORT]];
  const { date } = last.report;
  const when = date == null ? '' : ` (${date.slice(0, 16).replace('T', ' ')} UTC)`;
  const choice = last.report.choices.find((other) => other.id === id);
  if (choice !== undefined) return choiceRows(choice, last, when);
  const one = last.report.requirements.find((other) => other.id === id);
  if (one === undefined) return [];
  const verdict = [`in ${last.path}`, `${verdictOf(one, last.report)}${when}`];
  const look = lookCommand(one, found?.finding ?? null, last);
  return [verdict, ...findingRows(found, width), ...(look === null ? [] : [['look', look]])];
}

/** Where the finding is, and what was expected and came there. */
function findingRows(found: FoundEarlier | null, width: number): readonly (readonly string[])[] {
  if (found === null) return [];
  const { at, expected, actual } = findingText(found.finding, width);
  return [
    ['at', at],
    ['expected', expected],
    ['actual', actual],
  ];
}

/**
 * The alternatives that the target took, several where it is not the same everywhere, and the command that prints an exchange of
 * each; without traffic, the command that lists all choices.
 */
function choiceRows(choice: ChoiceVerdict, last: LastRun, when: string): readonly (readonly string[])[] {
  const { taken, exchanges = [] } = choice;
  const words = taken.length === 0 ? 'not met' : `takes ${takenWords(choice).map(printable).join(' and ')}`;
  const shown = [...new Set(exchanges.flatMap((one) => one ?? []))];
  const { cassette } = last.report;
  const path = cassette === null ? null : cassetteOf(last.path, cassette);
  const look =
    shown.length === 0 || path === null || !existsSync(path)
      ? `npx assay list --taken --report ${shellQuote(last.path)}`
      : `npx assay show ${shellQuote(path)} ${shown.join(' ')}`;
  return [
    [`in ${last.path}`, `${words}${when}`],
    ['look', look],
  ];
}

/** The verdict, with what it rests on, or why it is missing. */
function verdictOf(one: ReportedRequirement, { requirements }: Report): string {
  const { verdict, reason, observations, findingsTotal, baseline } = one;
  // One --baseline-reason stands in every entry that was written with it, and one entry accepts all that its cause breaks.
  const shared = requirements.filter((other) => other.baseline === baseline).length;
  const facts = [
    ...(reason === null ? [] : [printable(reason)]),
    ...(findingsTotal > 0 ? [plural(findingsTotal, 'finding')] : []),
    ...(reason === null && observations > 0 ? [`${observations} seen`] : []),
    ...(baseline === null
      ? []
      : [
          `${acceptedAs(one)}: ${printable(baseline)}${shared > 1 ? ` (one reason for ${shared} requirements, not for this one alone)` : ''}`,
        ]),
  ];
  return facts.length === 0 ? verdict : `${verdict}: ${facts.join('; ')}`;
}

/** The finding on a requirement, or on one cause for which it fails, that the report of the run prints first, and its exchange. Null where there is none. */
export async function findingOf(id: string, last: LastRun | null): Promise<FoundEarlier | null> {
  const cause = causeParts(id);
  const broken = last?.report.requirements.find((one) => one.id === (cause?.requirement ?? id));
  const one =
    broken === undefined || cause === null
      ? broken
      : { ...broken, findings: broken.findings.filter(({ causeId }) => causeId === id) };
  const [first] = one?.findings ?? [];
  if (last === null || one === undefined || first === undefined) return null;
  const { cassette } = last.report;
  const path = cassette === null ? null : cassetteOf(last.path, cassette);
  if (path === null || !existsSync(path)) return { finding: first, header: null, exchange: undefined };
  const recorded = await openRecordedTraffic([path]);
  try {
    const [finding = first] = distinctFindings(one, { exchange: (of) => recorded.exchange(of) });
    return { finding, header: recorded.header, exchange: recorded.exchange(finding.exchange) };
  } finally {
    recorded.close();
  }
}

/** Where a report says that its cassette lies. */
function cassetteOf(path: string, cassette: string): string {
  return join(path.endsWith('.json') ? dirname(path) : path, cassette);
}

/**
 * The command that prints the exchange that decides, or lists those of the scenario that showed nothing. A report that was moved
 * has lost its traffic, which is said in place of a command that would fail.
 */
function lookCommand(
  { cause }: ReportedRequirement,
  finding: Finding | null,
  { path, report }: LastRun,
): string | null {
  if (report.cassette === null) return null;
  const cassette = cassetteOf(path, report.cassette);
  if (!existsSync(cassette)) return `none: the cassette ${cassette} does not exist`;
  const show = `npx assay show ${shellQuote(cassette)}`;
  const exchange = finding?.exchange ?? exchangeOf(cause);
  if (exchange !== null) return `${show} ${exchange}`;
  const expected = cause?.kind === 'no-evidence' ? cause.expected : undefined;
  if (expected === undefined) return null;
  if (expected.nearest !== undefined) return `${show} ${expected.nearest.join(' ')}`;
  // Of several scenarios, the first answer is as telling as any.
  const [first] = expected.received;
  if (expected.scenarios !== undefined && first !== undefined && first.exchange !== '')
    return `${show} ${first.exchange}`;
  return `${show} | grep ${shellQuote(expected.scenario)}`;
}

function exchangeOf(cause: Cause | null): string | null {
  return cause !== null && 'exchange' in cause ? cause.exchange : null;
}
