import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { html, Markup } from './markup.ts';

const require = createRequire(import.meta.url);

/** Style and script are allowed by digest, so that nothing from a target can run or load. */
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
