/** An element: its attributes are named `@…`, its text `#text`, all else are its children. */
export type XmlElement = { readonly [name: string]: string | number | XmlElement | readonly XmlElement[] };

/** What XML cannot hold, however it is written. */
const IMPOSSIBLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** An indented XML document of one element. Characters that XML cannot hold become U+FFFD. */
export function xmlDocument(name: string, root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element(name, root, '')}`;
}

function element(name: string, content: XmlElement | string | number, indent: string): string {
  if (typeof content !== 'object') return `${indent}<${name}>${escaped(content)}</${name}>\n`;
  const entries = Object.entries(content);
  const attributes = entries
    .filter(([key]) => key.startsWith('@'))
    .map(([key, value]) => ` ${key.slice(1)}="${attribute(String(value))}"`);
  const text = content['#text'];
  const children = entries
    .filter(([key]) => !/^[@#]/.test(key))
    .flatMap(([key, value]) => [value].flat().map((child) => element(key, child, `${indent}  `)));
  const head = `${indent}<${name}${attributes.join('')}`;
  if (typeof text === 'string') return `${head}>${escaped(text)}</${name}>\n`;
  return children.length === 0 ? `${head}/>\n` : `${head}>\n${children.join('')}${indent}</${name}>\n`;
}

/** Readers take a bare line break in an attribute for a space. */
function attribute(value: string): string {
  return escaped(value).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function escaped(value: string | number): string {
  return String(value)
    .replace(IMPOSSIBLE, '\ufffd')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
