import { groupBy } from '../../schemas/maps.ts';
import { htmlPage } from '../html/document.ts';
import { html } from '../html/markup.ts';
import { wideTable } from '../html/wide-table.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { type FieldSupport, type Support, supportTable } from '../support-table.ts';
import { verdictSentence } from '../verdict-words.ts';
import { escapeMarkdown, markdownTable } from '../words/markdown.ts';

export const SUPPORT_MEANINGS: Readonly<Record<Support, string>> = {
  supported: 'accepted, and answers show its effect',
  ignored: 'accepted, and answers lack its effect',
  refused: 'valid values are refused, or the operation is not offered',
  other: 'accepted in part, or with an uncertain effect',
  'not shown': 'no judged requirement shows what the service does with it',
};

const COLUMN_NAMES = ['operation', 'field', 'support', 'why'];

export function supportJson(rawReport: Report): string {
  const { tool, target, date = null } = printableReport(rawReport);
  const fields = supportTable(rawReport);
  return `${JSON.stringify({ format: 1, tool, target, date, fields }, null, 1)}\n`;
}

export function supportMarkdown(rawReport: Report): string {
  const report = printableReport(rawReport);
  const { shown, unshown } = groupFamilies(supportTable(rawReport));
  const blocks = [
    `# What ${escapeMarkdown(report.target.baseUrl)} supports`,
    escapeMarkdown(verdictSentence(report)),
    Object.entries(SUPPORT_MEANINGS)
      .map(([support, meaning]) => `- ${support}: ${meaning}`)
      .join('\n'),
    ...shown.map(([family, rows]) => {
      const cells = rows.map((row) => cellsOf(row).map(escapeMarkdown));
      return `## ${family}\n\n${markdownTable(COLUMN_NAMES, cells)}`;
    }),
    ...(unshown === null ? [] : [unshown]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

export function supportHtml(rawReport: Report): string {
  const report = printableReport(rawReport);
  const { shown, unshown } = groupFamilies(supportTable(rawReport));
  const sections = shown.map(
    ([family, rows]) =>
      html`<section><h2>${family}</h2>${wideTable(family, COLUMN_NAMES, rows.map(cellsOf), 'stack')}</section>`,
  );
  const legend = Object.entries(SUPPORT_MEANINGS).map(
    ([support, meaning]) => html`<li><b>${support}</b>: ${meaning}</li>`,
  );
  const body = html`<main id="main"><h1>${`What ${report.target.baseUrl} supports`}</h1>
<p>${verdictSentence(report)}</p><ul>${legend}</ul>${sections}${unshown === null ? '' : html`<p>${unshown}</p>`}</main>`;
  return htmlPage('assay: supported fields', body, null);
}

function cellsOf({ operation, field, support, why }: FieldSupport): readonly string[] {
  return [operation, field, support, why ?? ''];
}

function groupFamilies(fields: readonly FieldSupport[]): {
  readonly shown: readonly (readonly [family: string, readonly FieldSupport[]])[];
  readonly unshown: string | null;
} {
  const families = [...groupBy(fields, ({ family }) => family)];
  const isShown = ([, rows]: (typeof families)[number]) =>
    rows.some(({ support }) => support !== 'not shown');
  const others = families.filter((family) => !isShown(family)).map(([family]) => family);
  return {
    shown: families.filter(isShown),
    unshown: others.length === 0 ? null : `Not shown: all fields of ${others.join(', ')}.`,
  };
}
