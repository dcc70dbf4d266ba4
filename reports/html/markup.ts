// HTML templates that escape. Texts come from a target, so none may enter a page unescaped.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

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

// On a phone, the style sheet stacks the cells of a table with the class `stack`, each after the name of its column.
/** A table with row headers. It scrolls in its own region, which the keyboard can reach, instead of with the page. */
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

const require = createRequire(import.meta.url);

/** A page around a body. Style and script are allowed by digest, so that nothing from a target can run or load. */
export function htmlPage(title: string, body: Markup, script: 'page.js' | null): string {
  // Both are inline, so that the page is one file that can be mailed or attached to a build.
  const style = ['page.css', 'findings.css', 'drawings.css', 'print.css'].map(asset).join('');
  const code = script === null ? null : asset(script);
  const scripts = code === null ? '' : `script-src '${digest(code)}'; `;
  // The page loads nothing, so that opening a report leaks nothing.
  const policy = `default-src 'none'; style-src '${digest(style)}'; ${scripts}img-src data:`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${body}
${code === null ? null : html`<script>${new Markup(code)}</script>`}
</body>
</html>
`.text;
}

function asset(name: string): string {
  return readFileSync(require.resolve(`#reports/html/assets/${name}`), 'utf8');
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
