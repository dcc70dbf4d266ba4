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
