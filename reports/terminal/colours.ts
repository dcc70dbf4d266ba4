import { inspect } from 'node:util';

/** Styles in use; each has codes in Node. */
const styles = ['bold', 'dim', 'red', 'green', 'yellow', 'magenta', 'cyan'] as const;
/** The name of a style, as Node names it. */
type Style = (typeof styles)[number];

/** Functions that style text. All output is understandable without them. */
export type Colours = Readonly<Record<Style, (text: string) => string>>;

/** Styles for a terminal; functions without effect if colours are off. */
export function coloursFor(colours: 'on' | 'off'): Colours {
  const painters = styles.map((style) => [style, colours === 'on' ? painter(style) : (text: string) => text]);
  return Object.fromEntries(painters) as Colours; // as: every style has its entry
}

/** Sets a style by the codes of Node. A style that ends within the text is set again there. */
function painter(style: Style): (text: string) => string {
  const [open = 0, close = 0] = inspect.colors[style] ?? [];
  const [begin, end] = [`\u001b[${open}m`, `\u001b[${close}m`];
  return (text) => begin + text.replaceAll(end, end + begin) + end;
}
