import { printable } from '../../exchange/printable.ts';
import { firstOf, plural } from '../../schemas/message-text.ts';
import { gravestFirst } from '../comparison/compare.ts';
import { listFamilies } from '../families.ts';
import { htmlPage } from '../html/document.ts';
import { html, type Markup, type MarkupPart } from '../html/markup.ts';
import { wideTable } from '../html/wide-table.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { type Support, supportTable } from '../support-table.ts';
import { furtherReasons, scoreLine, verdictSentence } from '../verdict-words.ts';
import { codeSpan, escapeMarkdown, markdownTable } from '../words/markdown.ts';
import { SUPPORT_MEANINGS } from './support.ts';

const MAX_REASONS = 4;

export interface Matrix {
  readonly services: readonly ServiceRow[];
  /** One cell per service; null if its report does not judge the family. */
  readonly families: readonly { readonly family: string; readonly cells: readonly (MatrixCell | null)[] }[];
  /** The requirements in which services differ, failures first: a verdict per service; null if its report lacks it. */
  readonly differing: readonly DifferingRow[];
  readonly support: readonly {
    readonly operation: string;
    readonly field: string;
    readonly cells: readonly Support[];
  }[];
  /** Choices in which services differ, with the alternatives that each service takes; null if it shows none. */
  readonly choices: readonly DifferingRow[];
}

interface ServiceRow {
  readonly name: string;
  readonly verdict: string;
  /** The lines below the verdict, such as stale baseline entries; may be empty. */
  readonly reasons: readonly string[];
  readonly score: string;
}

interface DifferingRow {
  readonly id: string;
  readonly says: string;
  readonly cells: readonly (string | null)[];
}

export interface MatrixCell {
  readonly pass: number;
  readonly total: number;
  readonly fail: number;
}

export function makeMatrix(inputs: readonly { readonly name: string; readonly report: Report }[]): Matrix {
  const services = inputs.map(({ name, report }) => ({
    name: printable(name),
    report: printableReport(report),
  }));
  const reports = services.map(({ report }) => report);
  return {
    services: services.map(({ name, report }) => ({
      name,
      verdict: verdictSentence(report),
      reasons: firstOf(furtherReasons(report), MAX_REASONS, (rest) => `${rest} more`),
      score: scoreLine(report),
    })),
    families: familyRows(reports),
    differing: gravestFirst(differingRows(reports, 'requirements', ({ verdict }) => verdict)),
    support: supportRows(reports),
    choices: differingRows(reports, 'choices', ({ taken }) => taken.toSorted().join(', ') || null),
  };
}

export function keepDifferences(matrix: Matrix): Matrix {
  const isDifferent = ({ cells }: { readonly cells: readonly unknown[] }) =>
    new Set(cells.map((cell) => JSON.stringify(cell))).size > 1;
  return {
    ...matrix,
    families: matrix.families.filter(isDifferent),
    support: matrix.support.filter(isDifferent),
  };
}

function familyRows(reports: readonly Report[]): Matrix['families'] {
  const reportCounts = reports.map(
    (report) => new Map(listFamilies(report).map((row) => [row.family, row.counts])),
  );
  return [...new Set(reportCounts.flatMap((byFamily) => [...byFamily.keys()]))].map((family) => ({
    family,
    cells: reportCounts.map((byFamily) => {
      const counts = byFamily.get(family);
      return counts === undefined ? null : { pass: counts.pass, total: counts.total, fail: counts.fail };
    }),
  }));
}

function differingRows<List extends 'requirements' | 'choices'>(
  reports: readonly Report[],
  list: List,
  cellOf: (row: Report[List][number]) => string | null,
): readonly DifferingRow[] {
  const rowsById = reports.map((report) => {
    const rows: readonly Report[List][number][] = report[list];
    return new Map(rows.map((row) => [row.id, row]));
  });
  return [...new Set(rowsById.flatMap((rows) => [...rows.keys()]))].flatMap((id) => {
    const rows = rowsById.map((byId) => byId.get(id));
    const cells = rows.map((row) => (row === undefined ? null : cellOf(row)));
    const says = rows.find((row) => row !== undefined)?.says ?? '';
    return new Set(cells).size > 1 ? [{ id, says, cells }] : [];
  });
}

function supportRows(reports: readonly Report[]): Matrix['support'] {
  const tables = reports.map(supportTable);
  return (tables[0] ?? []).flatMap(({ operation, field }, index) => {
    const cells = tables.map((table) => table[index]?.support ?? 'not shown');
    return cells.every((cell) => cell === 'not shown') ? [] : [{ operation, field, cells }];
  });
}

type Cell = string | { readonly text: string; readonly verdict: string };

interface Table {
  readonly title: string;
  readonly note?: string | null;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Number of leading columns that contain ids, which Markdown shows as code. */
  readonly idColumnCount: number;
}

function matrixTables(matrix: Matrix): readonly Table[] {
  const services = matrix.services.map(({ name }) => name);
  const { families, differing, support, choices } = keepDifferences(matrix);
  const isSame = services.length > 1 && [families, differing, support, choices].flat().length === 0;
  return [
    {
      title: 'Services',
      note: isSame ? 'The services differ in no requirement, choice or field.' : null,
      idColumnCount: 0,
      head: ['service', 'verdict', 'reasons', 'score'],
      rows: matrix.services.map(({ name, verdict, reasons, score }) => [
        name,
        verdict,
        reasons.join('; ') || '–',
        score,
      ]),
    },
    {
      title: 'Requirements that pass, by family',
      idColumnCount: 0,
      head: ['family', ...services],
      rows: matrix.families.map(({ family, cells }) => [family, ...cells.map(familyCell)]),
    },
    {
      title: 'Requirements in which the services differ',
      idColumnCount: 1,
      head: ['requirement', 'sentence', ...services],
      rows: matrix.differing.map(({ id, says, cells }) => [id, says, ...cells.map(verdictCell)]),
    },
    {
      title: 'Choices in which the services differ',
      idColumnCount: 1,
      head: ['choice', 'question', ...services],
      rows: matrix.choices.map(({ id, says, cells }) => [id, says, ...cells.map((cell) => cell ?? '–')]),
    },
    {
      title: 'Fields of requests',
      note: Object.entries(SUPPORT_MEANINGS)
        .map(([support, meaning]) => `${support}: ${meaning}`)
        .join('; '),
      idColumnCount: 2,
      head: ['operation', 'field', ...services],
      rows: matrix.support.map(({ operation, field, cells }) => [operation, field, ...cells]),
    },
  ].filter(({ rows }) => rows.length > 0);
}

function familyCell(cell: MatrixCell | null): Cell {
  if (cell === null) return 'not judged';
  const { pass, total, fail } = cell;
  return fail > 0 ? { text: `${pass}/${total}, ${fail} fail`, verdict: 'fail' } : `${pass}/${total}`;
}

function verdictCell(verdict: string | null): Cell {
  return verdict === null ? '–' : { text: verdict, verdict };
}

function textOfCell(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

export function matrixMarkdown(matrix: Matrix): string {
  const blocks = matrixTables(matrix).map(({ title, note = null, head, rows, idColumnCount }) => {
    // A vertical bar ends a cell, even in backticks.
    const formatCell = (cell: string, n: number) =>
      n < idColumnCount && !cell.includes('|') ? codeSpan(cell) : escapeMarkdown(cell);
    const cells = rows.map((row) => row.map(textOfCell).map(formatCell));
    const above = note === null ? '' : `${escapeMarkdown(note)}\n\n`;
    return `## ${title}\n\n${above}${markdownTable(head.map(escapeMarkdown), cells)}`;
  });
  return `${blocks.join('\n\n')}\n`;
}

export function matrixHtml(matrix: Matrix): string {
  const body = html`<main id="main"><h1>${plural(matrix.services.length, 'service')}</h1>${matrixTables(matrix).map(tableSection)}</main>`;
  return htmlPage('assay: services side by side', body, null);
}

function tableSection({ title, note = null, head, rows, idColumnCount }: Table): Markup {
  const cells = rows.map((row) =>
    row.map((cell, n) => (n < idColumnCount ? html`<code>${textOfCell(cell)}</code>` : paint(cell))),
  );
  return html`<section><h2>${title}</h2>${note === null ? null : html`<p class="facts">${note}</p>`}${wideTable(title, head, cells, 'stack')}</section>`;
}

function paint(cell: Cell): MarkupPart {
  return typeof cell === 'string' ? cell : html`<b class="word ${cell.verdict}">${cell.text}</b>`;
}
