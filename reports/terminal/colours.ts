import { inspect } from 'node:util';

const styles = ['bold', 'dim', 'red', 'green', 'yellow', 'magenta', 'cyan'] as const;
type Style = (typeof styles)[number];

/** Colours, or none; nothing that is printed needs them to be understood. */
export type Colours = Readonly<Record<Style, (text: string) => string>>;

export function coloursFor(colours: 'on' | 'off'): Colours {
  const painters = styles.map((style) => [style, colours === 'on' ? painter(style) : (text: string) => text]);
  return Object.fromEntries(painters) as Colours; // as: every style has its entry
}

/** Sets a style by the codes that Node itself uses; a style that ends within the text begins again there. */
function painter(style: Style): (text: string) => string {
  const [open = 0, close = 0] = inspect.colors[style] ?? [];
  const [begin, end] = [`\u001b[${open}m`, `\u001b[${close}m`];
  return (text) => begin + text.replaceAll(end, end + begin) + end;
}
