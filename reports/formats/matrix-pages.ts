import type { Matrix, MatrixCell } from '../comparison/matrix.ts';
import { html, htmlPage, type Markup, wideTable } from '../html/markup.ts';
import { escapeMarkdown } from './markdown.ts';

interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function tables(matrix: Matrix): readonly Table[] {
  const services = matrix.services.map(({ name }) => name);
  return [
    {
      title: 'Services',
      head: ['service', 'verdict', 'score'],
      rows: matrix.services.map(({ name, verdict, score }) => [name, verdict, score]),
    },
    {
      title: 'Requirements that pass, by family',
      head: ['family', ...services],
      rows: matrix.families.map(({ family, cells }) => [family, ...cells.map(cellWords)]),
    },
    {
      title: 'Requirements in which they differ',
      head: ['requirement', 'sentence', ...services],
      rows: matrix.differing.map(({ id, says, verdicts }) => [id, says, ...verdicts.map(word)]),
    },
    {
      title: 'Choices in which they differ',
      head: ['choice', 'question', ...services],
      rows: matrix.choices.map(({ id, says, taken }) => [id, says, ...taken.map(word)]),
    },
    {
      title: 'Fields of requests',
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
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const blocks = tables(matrix).map(({ title, head, rows }) =>
    [`## ${title}`, '', line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

export function matrixHtml(matrix: Matrix): string {
  const body = html`<main id="main"><h1>${`${matrix.services.length} services`}</h1>${tables(matrix).map(section)}</main>`;
  return htmlPage('assay: services side by side', body, null);
}

function section({ title, head, rows }: Table): Markup {
  return html`<section><h2>${title}</h2>${wideTable(title, head, rows)}</section>`;
}
