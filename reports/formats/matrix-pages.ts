import type { Matrix, MatrixCell } from '../comparison/matrix.ts';
import { html, htmlPage, type Markup, wideTable } from '../html/markup.ts';
import { codeSpan, escapeMarkdown, markdownTable } from '../words/markdown.ts';

interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many of the first columns are ids, which Markdown shows as code. */
  readonly ids: number;
}

function tables(matrix: Matrix): readonly Table[] {
  const services = matrix.services.map(({ name }) => name);
  return [
    {
      title: 'Services',
      ids: 0,
      head: ['service', 'verdict', 'score'],
      rows: matrix.services.map(({ name, verdict, score }) => [name, verdict, score]),
    },
    {
      title: 'Requirements that pass, by family',
      ids: 0,
      head: ['family', ...services],
      rows: matrix.families.map(({ family, cells }) => [family, ...cells.map(cellWords)]),
    },
    {
      title: 'Requirements in which they differ',
      ids: 1,
      head: ['requirement', 'sentence', ...services],
      rows: matrix.differing.map(({ id, says, cells }) => [id, says, ...cells.map(word)]),
    },
    {
      title: 'Choices in which they differ',
      ids: 1,
      head: ['choice', 'question', ...services],
      rows: matrix.choices.map(({ id, says, cells }) => [id, says, ...cells.map(word)]),
    },
    {
      title: 'Fields of requests',
      ids: 2,
      head: ['operation', 'field', ...services],
      rows: matrix.support.map(({ operation, field, cells }) => [operation, field, ...cells]),
    },
  ].filter(({ rows }) => rows.length > 0);
}

function cellWords(cell: MatrixCell | null): string {
  if (cell === null) return 'not claimed';
  return `${cell.pass}/${cell.total}${cell.fail > 0 ? `, ${cell.fail} fail` : ''}`;
}

function word(text: string | null): string {
  return text ?? '–';
}

export function matrixMarkdown(matrix: Matrix): string {
  const blocks = tables(matrix).map(({ title, head, rows, ids }) => {
    // A vertical line ends a cell, even in backticks.
    const text = (cell: string, n: number) =>
      n < ids && !cell.includes('|') ? codeSpan(cell) : escapeMarkdown(cell);
    const table = markdownTable(
      head.map(escapeMarkdown),
      rows.map((row) => row.map(text)),
    );
    return `## ${title}\n\n${table}`;
  });
  return `${blocks.join('\n\n')}\n`;
}

export function matrixHtml(matrix: Matrix): string {
  const body = html`<main id="main"><h1>${`${matrix.services.length} services`}</h1>${tables(matrix).map(section)}</main>`;
  return htmlPage('assay: services side by side', body, null);
}

function section({ title, head, rows }: Table): Markup {
  return html`<section><h2>${title}</h2>${wideTable(title, head, rows)}</section>`;
}
