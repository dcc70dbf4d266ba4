import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../drive/configuration.ts';
import { removeCassette } from '../exchange/cassette/contents.ts';
import { refuseForeign } from '../exchange/cassette/foreign.ts';
import { badgeJson, badgeSvg } from '../reports/badge.ts';
import { ctrf } from '../reports/ctrf.ts';
import type { Evidence } from '../reports/failure.ts';
import { githubAnnotations } from '../reports/github.ts';
import { htmlReport } from '../reports/html/page.ts';
import { junit } from '../reports/junit.ts';
import { markdown } from '../reports/markdown.ts';
import { paint } from '../reports/paint.ts';
import { type Report, reportJson, score, wholeVerdict } from '../reports/report.ts';
import { terminal } from '../reports/terminal.ts';
import type { Judged } from './judging.ts';
import { keptProof } from './proof-score.ts';

type Renderer = (report: Report, evidence: Evidence) => string;

/** Files by the name that `--report` takes. */
const FILES: Readonly<Record<string, readonly (readonly [file: string, render: Renderer])[]>> = {
  json: [['report.json', reportJson]],
  junit: [['junit.xml', junit]],
  html: [['report.html', (report, evidence) => htmlReport(report, evidence, keptProof())]],
  markdown: [['summary.md', markdown]],
  ctrf: [['ctrf-report.json', ctrf]],
  badge: [
    ['badge.json', badgeJson],
    ['badge.svg', badgeSvg],
  ],
};

/** Columns of a log that tells no width. */
export const LOG_WIDTH = 120;

/**
 * Takes away the reports of an earlier run, so that a run that breaks down leaves none that could be taken for its own.
 * Throws CassetteError where something else stands in the place of the traffic.
 */
export function takeAway(reportDir: string): void {
  const cassette = join(reportDir, 'cassette');
  refuseForeign(cassette);
  takeAwayReports(reportDir);
  // A run that records nothing would leave the traffic of the earlier one to be judged in its place.
  removeCassette(cassette);
}

/** As `takeAway`, and leaves the traffic, with which a run goes on. */
export function takeAwayReports(reportDir: string): void {
  for (const [file] of Object.values(FILES).flat()) rmSync(join(reportDir, file), { force: true });
}

/** Writes the reports that are asked for, then prints the one for the terminal, which names them. */
export function publish(judged: Judged, settings: Pick<Settings, 'report' | 'reportDir' | 'color'>): void {
  const { report, evidence } = judged;
  const written = [...judged.written];
  for (const [file, render] of settings.report.flatMap((name) => FILES[name] ?? [])) {
    const path = join(settings.reportDir, file);
    writeFileSync(path, render(report, { ...evidence, width: LOG_WIDTH }));
    written.push(path);
  }
  if (settings.report.includes('github')) process.stdout.write(githubAnnotations(report));
  if (!settings.report.includes('terminal')) {
    // Whoever asks for files alone still sees how it ended.
    const where = written.length === 0 ? '' : `; written to ${written.join(', ')}`;
    process.stderr.write(`${wholeVerdict(report)}: ${score(report)}${where}\n`);
    return;
  }
  const width = process.stdout.columns ?? LOG_WIDTH;
  const colours = settings.color && process.stdout.isTTY === true ? 'on' : 'off';
  process.stdout.write(terminal(report, { ...evidence, width, paint: paint(colours), written }));
}
