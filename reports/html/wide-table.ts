import { html, type Markup, type MarkupPart } from './markup.ts';

/**
 * A table with row headers. It scrolls in its own region, which the keyboard can reach, instead of with the page. On a
 * phone, the style sheet stacks the cells of a table with the class `stack`, each after the name of its column if that
 * is text.
 */
export function wideTable(
  title: string,
  head: readonly MarkupPart[],
  rows: readonly (readonly MarkupPart[])[],
  className = '',
): Markup {
  const columnOf = (name: MarkupPart = null) =>
    typeof name === 'string' && /\bstack\b/.test(className) ? html` data-column="${name}"` : null;
  return html`<div class="wide" tabindex="0" role="group" aria-label="${title}"><table${className === '' ? null : html` class="${className}"`}>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([name = null, ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell, n) => html`<td${columnOf(head[n + 1])}>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>`;
}
