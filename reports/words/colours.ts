import { inspect } from 'node:util';

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'magenta', 'cyan'] as const;
type Style = (typeof STYLES)[number];

export type Colours = Readonly<Record<Style, (text: string) => string>>;

export function coloursFor(colours: 'on' | 'off'): Colours {
  const entries = STYLES.map((style) => [style, colours === 'on' ? painter(style) : (text: string) => text]);
  return Object.fromEntries(entries) as Colours; // as: every style has its entry
}

/** Returns a function that styles text, and resumes after an inner style whose end code is the same. */
function painter(style: Style): (text: string) => string {
  const [open = 0, close = 0] = inspect.colors[style] ?? [];
  const [begin, end] = [`\u001b[${open}m`, `\u001b[${close}m`];
  return (text) => begin + text.replaceAll(end, end + begin) + end;
}
