// Texts may come from a target, so none enters a page unescaped.

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
 * closed, and no quote is open. A template may begin inside a tag, so a text before its first `>` is not content.
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
