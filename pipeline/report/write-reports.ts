import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunConfiguration } from '../../drive/configuration/configuration.ts';
import { refuseForeignFiles, removeCassette } from '../../exchange/cassette/folder.ts';
import { makeDirectory } from '../../exchange/directory.ts';
import { replaceFile } from '../../exchange/replace-file.ts';
import type { Comparison } from '../../reports/comparison/compare.ts';
import type { FailureContext } from '../../reports/failure/failure.ts';
import type { Report } from '../../reports/report.ts';
import type { FileFormat, WrittenFile } from '../../reports/summary/written-file.ts';
import type { JudgedTrace } from '../judging/traffic-judge.ts';
import { makeReportWithEvidence, type ReportWithEvidence } from './make-report.ts';
import { committedMutationReport } from './mutation-score.ts';
import type { ReportOptions, TrafficLookup } from './report-options.ts';

type Renderer = (report: Report, context: FailureContext, comparison: Comparison | null) => string;

/** A file name, and a function that loads its renderer, because few runs need all of them. */
type ReportFile = readonly [name: string, load: () => Promise<Renderer>];

const ALLURE_FOLDER = 'allure-results';
const ALLURE_FILE = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}-result\.json$/;

const FORMAT_FILES: Readonly<Record<Exclude<FileFormat, 'allure'>, readonly ReportFile[]>> = {
  json: [['report.json', async () => (await import('../../reports/report.ts')).reportJson]],
  junit: [['junit.xml', async () => (await import('../../reports/formats/junit.ts')).junitXml]],
  html: [['report.html', loadHtml]],
  markdown: [['summary.md', async () => (await import('../../reports/formats/markdown.ts')).markdownReport]],
  comment: [['comment.md', loadComment]],
  ctrf: [['ctrf-report.json', async () => (await import('../../reports/formats/ctrf.ts')).ctrfReport]],
  badge: [
    ['badge.json', async () => (await import('../../reports/formats/badge.ts')).badgeJson],
    ['badge.svg', async () => (await import('../../reports/formats/badge.ts')).badgeSvg],
  ],
  sarif: [['assay.sarif', async () => (await import('../../reports/formats/sarif.ts')).sarifReport]],
  support: [
    ['support.html', async () => (await import('../../reports/formats/support.ts')).supportHtml],
    ['support.md', async () => (await import('../../reports/formats/support.ts')).supportMarkdown],
    ['support.json', async () => (await import('../../reports/formats/support.ts')).supportJson],
  ],
  otlp: [['traces.json', async () => (await import('../../reports/formats/otlp.ts')).otlpTraces]],
};

/** Width, in columns, of report files, and of logs that have no width of their own. */
export const DEFAULT_WIDTH = 120;

/**
 * Removes the reports and traffic of an earlier run. Throws CassetteError if anything else is in place of the traffic.
 */
export function removeReports(reportDir: string): void {
  const cassette = join(reportDir, 'cassette');
  refuseForeignFiles(cassette);
  removeReportFiles(reportDir);
  // Otherwise the earlier traffic would be judged for a run that records nothing.
  removeCassette(cassette);
}

/** Relative paths of traffic and report files. Throws CassetteError if something else is in place of the traffic. */
export function reportFilesIn(reportDir: string): readonly string[] {
  const cassette = join(reportDir, 'cassette');
  refuseForeignFiles(cassette);
  const names = ['cassette', ...Object.values(FORMAT_FILES).flatMap((files) => files.map(([name]) => name))];
  const allure = join(reportDir, ALLURE_FOLDER);
  const results = isFolder(allure) ? readdirSync(allure).filter((name) => ALLURE_FILE.test(name)) : [];
  return [
    ...names.filter((name) => existsSync(join(reportDir, name))),
    ...results.map((name) => join(ALLURE_FOLDER, name)),
  ];
}

/** False for a symbolic link, behind which no file is ours. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Removes the report files but not the traffic, which a resumed run continues. */
export function removeReportFiles(reportDir: string): void {
  for (const [name] of Object.values(FORMAT_FILES).flat()) rmSync(join(reportDir, name), { force: true });
  removeAllureResults(join(reportDir, ALLURE_FOLDER));
}

/** Removes only our own results, because other test runners may write into the folder too. */
function removeAllureResults(folder: string): void {
  if (!isFolder(folder)) return;
  const names = readdirSync(folder);
  const own = names.filter((name) => ALLURE_FILE.test(name));
  for (const name of own) rmSync(join(folder, name), { force: true });
  if (own.length === names.length) rmdirSync(folder);
}

export type ReportListener = (
  report: ReportWithEvidence,
  written: readonly WrittenFile[],
  configuration: Pick<RunConfiguration, 'report' | 'color' | 'standingBaseline'>,
) => void;

export async function produceReport(
  judged: JudgedTrace,
  recorded: TrafficLookup,
  options: ReportOptions & { readonly onReport: ReportListener | undefined },
): Promise<{ readonly report: Report; readonly written: readonly WrittenFile[] }> {
  const withEvidence = makeReportWithEvidence(judged, recorded, options);
  const written = await writeReports(withEvidence, options.configuration);
  options.onReport?.(withEvidence, written, options.configuration);
  return { report: withEvidence.report, written };
}

/** A written baseline comes first in the result. */
export async function writeReports(
  { report, context, baseline, comparison }: ReportWithEvidence,
  configuration: Pick<RunConfiguration, 'report' | 'reportDir'>,
): Promise<readonly WrittenFile[]> {
  const written: WrittenFile[] = baseline?.isWritten ? [{ format: 'baseline', path: baseline.path }] : [];
  for (const format of configuration.report.filter(isFileFormat)) {
    if (format === 'allure') {
      const path = join(configuration.reportDir, ALLURE_FOLDER);
      await writeAllureResults(path, report, { ...context, width: DEFAULT_WIDTH });
      written.push({ format, path });
      continue;
    }
    for (const [name, load] of FORMAT_FILES[format]) {
      const path = join(configuration.reportDir, name);
      const render = await load();
      replaceFile(path, render(report, { ...context, width: DEFAULT_WIDTH }, comparison));
      written.push({ format, path });
    }
  }
  return written;
}

async function writeAllureResults(folder: string, report: Report, context: FailureContext): Promise<void> {
  const { allureResults } = await import('../../reports/formats/allure.ts');
  // Through a symbolic link, the files would be written elsewhere.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(folder);
  makeDirectory(folder);
  for (const { name, text } of allureResults(report, context)) replaceFile(join(folder, name), text);
}

/** Adds `json`, which `assay explain`, `assay compare` and the next run read, unless no report is requested. */
export function withReportJson(formats: RunConfiguration['report']): RunConfiguration['report'] {
  return formats.length === 0 || formats.includes('json') ? formats : [...formats, 'json'];
}

/** Whether a format is written to a file; `terminal`, `github` and `problems` are printed instead. */
export function isFileFormat(name: string): name is FileFormat {
  return name === 'allure' || Object.hasOwn(FORMAT_FILES, name);
}

async function loadComment(): Promise<Renderer> {
  const { pullRequestComment } = await import('../../reports/formats/markdown.ts');
  return (report, _, comparison) => pullRequestComment(report, comparison);
}

/** The page also shows the mutants of each requirement, from the committed proof. */
async function loadHtml(): Promise<Renderer> {
  const { htmlReport } = await import('../../reports/html/page.ts');
  return (report, context, comparison) =>
    htmlReport(report, context, {
      proof: committedMutationReport(report.side === 'client' ? 'client' : 'server'),
      comparison,
    });
}
