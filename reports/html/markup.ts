import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// HTML templates with escaping. Texts come from a target, so none enters a page unescaped.
/** A piece of HTML. Only `html` creates it from texts. */
export class Markup {
  /** The HTML source. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template. */
export type MarkupPart = Markup | string | number | null | readonly MarkupPart[];

/** Template tag: texts are escaped, markup is inserted, lists are joined, null is empty. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  // The literal parts of a template are written in this repository, so they are markup.
  return new Markup(strings.map((text, index) => text + render(parts[index] ?? null)).join(''));
}

/** The HTML source of a value. */
function render(part: MarkupPart): string {
  if (part === null) return '';
  // Only markup is inserted as it is; anything else is text and gets escaped.
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part));
  return part.map(render).join('');
}

/** Characters that HTML gives a meaning. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text escaped for an element or a quoted attribute. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** The fragment that leads to an element of the page by its id, which may hold any character. */
export function anchor(id: string): string {
  return encodeURIComponent(id);
}

// The frame of all pages.

const require = createRequire(import.meta.url);

/**
 * A page around a body. Its content security policy names the style and the script by digest, so nothing from a
 * target can run or load.
 */
export function htmlPage(title: string, body: Markup, script: 'page.js' | null): string {
  // Inline, so that the page is one file that can be mailed or attached to a build.
  const style = ['page.css', 'findings.css', 'drawings.css', 'print.css'].map(asset).join('');
  const code = script === null ? null : asset(script);
  const scripts = code === null ? '' : `script-src '${digest(code)}'; `;
  // Nothing is loaded from anywhere, so that a report can be opened beside secret traffic.
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

/** A style or the script, as data of the package. */
function asset(name: string): string {
  return readFileSync(require.resolve(`#reports/html/assets/${name}`), 'utf8');
}

/** Source expression of a content security policy. */
function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
