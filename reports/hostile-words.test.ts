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

/**
 * Clears a screen, forges annotations at the start of a line and where a long text is wrapped, sets a pipeline
 * variable, ends a line, reverses the text direction, and rings the bell.
 */
const forged = Array.from({ length: 8 }, (_, n) => `${'x'.repeat(n * 9)} ::error title=forged::forged`).join(
  ' ',
);
const attack = `\u001b[2J\r\n::error title=forged::forged\n\u202e\u0007\u2028\u0085${forged}##[error]forged ##vso[task.setvariable variable=a]forged`;
/** Only line breaks made by a format are allowed. */
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Fields with a fixed set of values, on which reports are computed. */
const words = new Set(['verdict', 'kind', 'level', 'basis', 'family', 'stopReason', 'how', 'claims']);

function hostile(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return words.has(key) ? value : `${value}${attack}`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => hostile(one, key));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hostile(inner, name)]));
}

const { report, evidence } = sampleReport('broken');
const bad = hostile(report) as Report; // as: only texts are longer
const other = hostile(sampleReport('green').report) as Report; // as: only texts are longer
const services = [
  { name: `one${attack}`, report: bad },
  { name: `two${attack}`, report: other },
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
    () => terminalReport(bad, { ...evidence, columns: 80, paint: coloursFor('off'), written: [] }),
  ],
  ['junit', () => junitXml(bad, evidence)],
  ['markdown', () => markdownReport(bad, evidence)],
  ['comment', () => pullRequestComment(bad, evidence)],
  ['comment since an earlier report', () => pullRequestComment(bad, evidence, compareReports(other, bad))],
  ['github', () => githubAnnotations(bad, evidence)],
  ['html', () => htmlReport(bad, evidence)],
  ['ctrf', () => ctrfReport(bad, evidence)],
  ['problems', () => problemLines(bad)],
  ['sarif', () => sarifReport(bad, evidence)],
  ['otlp', () => otlpTraces(bad, evidence)],
  [
    'allure',
    () =>
      allureResults(bad, evidence)
        .map(({ text }) => text)
        .join('\n'),
  ],
  ['badge', () => badgeSvg(bad)],
  ['badge as JSON', () => badgeJson(bad)],
  ['comparison', () => comparisonText(compareReports(bad, other), coloursFor('off'))],
  ['published page', () => publicationPage(bad, publication)],
  [
    'index of published pages',
    () => publicationIndex([{ folder: 'a', report: bad, publication }], '2027-01-01'),
  ],
  ['support as Markdown', () => supportMarkdown(bad)],
  ['support as HTML', () => supportHtml(bad)],
  ['support as JSON', () => supportJson(bad)],
  ['matrix as Markdown', () => matrixMarkdown(makeMatrix(services))],
  ['matrix as HTML', () => matrixHtml(makeMatrix(services))],
];

test.each(formats)(
  '%s contains no control character but its own line breaks, and no forged line',
  (name, text) => {
    const lines = text().split('\n');
    expect(lines.flatMap((line) => line.match(steering) ?? [])).toEqual([]);
    expect(lines.filter((line) => line.trimStart().startsWith('::error title=forged'))).toEqual([]);
    expect(lines.filter((line) => /##\w*\[/.test(line))).toEqual([]);
    if (!name.startsWith('badge')) expect(text()).toContain('forged');
  },
);
