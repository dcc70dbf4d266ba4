/** Characters with a meaning in Markdown. Inside a word, `_` and `#` have none, but GitHub links `#` before a digit. */
const MARKDOWN = /[\\`*[\]|~@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^#|#(?=\d)/gmu;

/** `alignment` applies to all columns but the first. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignment: '---' | '---:' = '---',
): string {
  const rule = head.map((_, n) => (n === 0 ? '---' : alignment));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats an id as code: in backticks, which keep the source readable, or as HTML if it contains a backtick. */
export function codeSpan(id: string): string {
  return id.includes('`') ? htmlCode(id) : `\`${id}\``;
}

/** Formats code as HTML, which can escape a backtick; a code span of Markdown cannot. */
export function htmlCode(text: string): string {
  return `<code>${escapeMarkdown(text)}</code>`;
}

export function escapeMarkdown(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(MARKDOWN, (character) => `&#${character.codePointAt(0)};`);
}
