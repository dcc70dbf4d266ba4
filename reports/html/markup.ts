// Texts come from a target, so none may enter a page unescaped.

/** Text that is already HTML, so that it is not escaped again. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type MarkupPart = Markup | string | number | null | readonly MarkupPart[];

/** Template tag: escapes texts, inserts markup, joins lists, drops null. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  let before = '';
  const pieces = strings.map((text, index) => {
    before += text;
    return text + render(parts[index] ?? null, isContent(before) ? escapeContent : escapeText);
  });
  return new Markup(pieces.join(''));
}

/**
 * Whether a text after this part of a template is content of an element, where quotes need no escape: the last tag is
 * closed, and no quote is open. A template may begin inside a tag, so text before its first tag is never content.
 */
function isContent(before: string): boolean {
  const tag = before.lastIndexOf('<');
  return before.lastIndexOf('>') > tag && before.slice(tag + 1).split('"').length % 2 === 1;
}

function render(part: MarkupPart, escapeWith: (text: string) => string): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeWith(String(part));
  return part.map((one) => render(one, escapeWith)).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Escapes content but not its quotes, because JSON bodies are full of them. */
function escapeContent(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

/**
 * A table with row headers. It scrolls in its own region, which the keyboard can reach, instead of with the page. On a
 * phone, the style sheet stacks the cells of a table with the class `stack`, each after the name of its column.
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
