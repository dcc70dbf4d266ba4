const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
const jsonEscapes = (text: string) =>
  Array.from({ length: text.length }, (_, i) => `\\u${hex(text.charCodeAt(i), 4)}`).join('');
const bytesOf = (text: string) => [...Buffer.from(text)];
const wrapLines = (text: string, width: number, lineBreak: string) =>
  (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(lineBreak);
const base64 = (text: string, prefix = '') => Buffer.from(`${prefix}${text}`).toString('base64');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

export const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => Buffer.from(secret).toString('latin1'),
  'upper case': (secret) => Buffer.from(secret.toUpperCase()).toString('latin1'),
  'lower case': (secret) => Buffer.from(secret.toLowerCase()).toString('latin1'),
  hexadecimal: (secret) => Buffer.from(secret).toString('hex'),
  'hexadecimal in upper case': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  percent: (secret) =>
    bytesOf(secret)
      .map((byte) => `%${hex(byte, 2)}`)
      .join(''),
  'percent, where needed': encodeURIComponent,
  'percent twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent twice throughout': (secret) =>
    bytesOf(secret)
      .map((byte) => `%25${hex(byte, 2).toUpperCase()}`)
      .join(''),
  'percent three times': (secret) => encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
  'JSON escapes': jsonEscapes,
  'JSON escapes in JSON in a string': (secret) => JSON.stringify(`"${jsonEscapes(secret)}"`),
  'JSON escapes three levels deep': (secret) => JSON.stringify(JSON.stringify(`"${jsonEscapes(secret)}"`)),
  'decimal entities': (secret) => [...secret].map((character) => `&#${character.codePointAt(0)};`).join(''),
  'decimal entities with zeros': (secret) =>
    [...secret].map((character) => `&#${String(character.codePointAt(0)).padStart(4, '0')};`).join(''),
  'hexadecimal entities': (secret) =>
    [...secret].map((character) => `&#x${hex(character.codePointAt(0) ?? 0, 2).toUpperCase()};`).join(''),
  'named entities': (secret) =>
    Buffer.from(secret.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)).toString(
      'latin1',
    ),
  'UTF-16, little-endian': (secret) => Buffer.from(secret, 'utf16le').toString('latin1'),
  'UTF-16, big-endian': (secret) => Buffer.from(secret, 'utf16le').swap16().toString('latin1'),
  'base64 in lines': (secret) => wrapLines(base64(secret), 8, '\r\n'),
  'base64 in lines of a JSON string': (secret) => wrapLines(base64(secret, '~'), 11, '\\n'),
  'base64 with escaped slashes': (secret) => base64(secret).replaceAll('/', '\\/'),
  'base64, percent-encoded': (secret) => encodeURIComponent(base64(secret, '~~')),
  ...Object.fromEntries(
    [0, 1, 2].flatMap((inner) =>
      [0, 1, 2].map((outer) => [
        `base64 twice, ${inner} and ${outer} bytes before`,
        (secret: string) => base64(base64(secret, '~'.repeat(inner)), '-'.repeat(outer)),
      ]),
    ),
  ),
  'base64 for URLs twice': (secret) =>
    Buffer.from(Buffer.from(secret).toString('base64url')).toString('base64url'),
};

export function decodings(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString('latin1');
  const decoded = decodeOnce(text);
  return [text, ...decoded, ...decoded.flatMap(decodeOnce)];
}

function decodeOnce(text: string): string[] {
  const joined = text.replaceAll(/\\r|\\n|[\r\n]/g, '').replaceAll('\\/', '/');
  const percent = text.replaceAll(/%(?:25)*([\da-fA-F]{2})/g, (_, code: string) => fromHex(code));
  return [
    percent,
    text.replaceAll(/\\+u00([\da-fA-F]{2})/g, (_, code: string) => fromHex(code)),
    text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code) & 255)),
    text.replaceAll(/&#[xX]([\da-fA-F]+);/g, (_, code: string) => fromHex(code)),
    text.replaceAll(/&(?:amp|lt|gt|quot|apos);/g, (entity) => decodeEntity(entity)),
    text.replaceAll('\0', ''),
    ...[...joined.matchAll(/[\da-fA-F]{24,}/g)].map(([run]) => Buffer.from(run, 'hex').toString('latin1')),
    ...[joined, percent].flatMap((from) =>
      [...from.matchAll(/[\w+/-]{16,}/g)].flatMap(([run]) =>
        [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1')),
      ),
    ),
  ];
}

function fromHex(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16) & 255);
}

function decodeEntity(entity: string): string {
  return Object.entries(ENTITIES).find(([, name]) => name === entity)?.[0] ?? entity;
}
