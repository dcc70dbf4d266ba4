import { expect, test } from 'vitest';
import { compareReports } from './comparison/compare.ts';
import { comparisonText } from './comparison/comparison-text.ts';
import { allureResults } from './formats/allure.ts';
import { badgeJson, badgeSvg } from './formats/badge.ts';
import { ctrfReport } from './formats/ctrf.ts';
import { githubAnnotations } from './formats/github.ts';
import { junitXml } from './formats/junit.ts';
import { markdownReport, pullRequestComment } from './formats/markdown.ts';
import { makeMatrix, matrixHtml, matrixMarkdown } from './formats/matrix.ts';
import { otlpTraces } from './formats/otlp.ts';
import { problemLines } from './formats/problems.ts';
import { publicationIndex, publicationPage } from './formats/published-pages.ts';
import { sarifReport } from './formats/sarif.ts';
import { supportHtml, supportJson, supportMarkdown } from './formats/support.ts';
import { htmlReport } from './html/page.ts';
import type { Report } from './report.ts';
import { terminalReport } from './terminal/terminal.ts';
import { sampleReport } from './testing/sample.ts';
import { coloursFor } from './words/colours.ts';

const FORGED = Array.from({ length: 8 }, (_, n) => `${'x'.repeat(n * 9)} ::error title=forged::forged`).join(
  ' ',
);
/**
 * Clears a screen, forges annotations at the start of a line and where a long text is wrapped, sets a pipeline
 * variable, ends a line, reverses the text direction, and rings the bell.
 */
const ATTACK = `\u001b[2J\r\n::error title=forged::forged\n\u202e\u0007\u2028\u0085${FORGED}##[error]forged ##vso[task.setvariable variable=a]forged`;
/** Characters that control a terminal or the direction of text. Matched line by line, so line feeds do not count. */
const STEERING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Fields with a fixed set of values, on which formats branch. */
const ENUM_FIELDS = new Set(['verdict', 'kind', 'level', 'basis', 'family', 'stopReason', 'how', 'claims']);

function makeHostile(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return ENUM_FIELDS.has(key) ? value : `${value}${ATTACK}`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => makeHostile(one, key));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, makeHostile(inner, name)]));
}

const { report, evidence } = sampleReport('broken');
const hostileReport = makeHostile(report) as Report; // as: only texts are longer
const earlierReport = makeHostile(sampleReport('green').report) as Report; // as: only texts are longer
const services = [
  { name: `one${ATTACK}`, report: hostileReport },
  { name: `two${ATTACK}`, report: earlierReport },
];

const publication = {
  format: 1,
  command: 'npx assay',
  published: '2026-01-01',
  expires: '2026-04-01',
} as const;
const formats: readonly (readonly [name: string, text: () => string])[] = [
  [
    'terminal',
    () => terminalReport(hostileReport, { ...evidence, columns: 80, paint: coloursFor('off'), written: [] }),
  ],
  ['junit', () => junitXml(hostileReport, evidence)],
  ['markdown', () => markdownReport(hostileReport, evidence)],
  ['comment', () => pullRequestComment(hostileReport)],
  [
    'comment since an earlier report',
    () => pullRequestComment(hostileReport, compareReports(earlierReport, hostileReport)),
  ],
  ['github', () => githubAnnotations(hostileReport, evidence)],
  ['html', () => htmlReport(hostileReport, evidence)],
  ['ctrf', () => ctrfReport(hostileReport, evidence)],
  ['problems', () => problemLines(hostileReport)],
  ['sarif', () => sarifReport(hostileReport, evidence)],
  ['otlp', () => otlpTraces(hostileReport, evidence)],
  [
    'allure',
    () =>
      allureResults(hostileReport, evidence)
        .map(({ text }) => text)
        .join('\n'),
  ],
  ['badge', () => badgeSvg(hostileReport)],
  ['badge as JSON', () => badgeJson(hostileReport)],
  ['comparison', () => comparisonText(compareReports(hostileReport, earlierReport), coloursFor('off'))],
  ['published page', () => publicationPage(hostileReport, publication)],
  [
    'index of published pages',
    () => publicationIndex([{ folder: 'a', report: hostileReport, publication }], '2027-01-01'),
  ],
  ['support as Markdown', () => supportMarkdown(hostileReport)],
  ['support as HTML', () => supportHtml(hostileReport)],
  ['support as JSON', () => supportJson(hostileReport)],
  ['matrix as Markdown', () => matrixMarkdown(makeMatrix(services))],
  ['matrix as HTML', () => matrixHtml(makeMatrix(services))],
];

test.each(formats)(
  '%s contains no control or direction character but its own line breaks, and no forged CI command',
  (name, text) => {
    const lines = text().split('\n');
    expect(lines.flatMap((line) => line.match(STEERING) ?? [])).toEqual([]);
    expect(lines.filter((line) => line.trimStart().startsWith('::error title=forged'))).toEqual([]);
    expect(lines.filter((line) => /##\w*\[/.test(line))).toEqual([]);
    if (!name.startsWith('badge')) expect(text()).toContain('forged');
  },
);
