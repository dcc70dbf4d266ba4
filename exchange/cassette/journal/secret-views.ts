import { SseReader } from '../../http/sse-reader.ts';
import { eventData } from '../../redaction/filters/event-data.ts';
import { jsonPathName, jsonStrings } from '../../redaction/filters/json-strings.ts';

/** Base64, in either alphabet, that can hold a secret long enough to be searched for. */
const BASE64 = /[A-Za-z0-9+/_-]{16,}/g;
/** A JSON escape: four hexadecimal digits, or one character. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
/** Characters that JSON escapes of one letter stand for. */
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The bytes as they are, and all that they read where they are JSON-escaped, percent-encoded or base64. */
export function* secretViews(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (text.includes('\\')) yield Buffer.from(unescaped(Buffer.from(bytes).toString()));
  if (text.includes('%')) yield Buffer.from(text.replaceAll(/%([0-9a-fA-F]{2})/g, fromHex), 'latin1');
  for (const [run] of text.matchAll(BASE64)) {
    for (let from = 0; from < 4; from += 1) yield Buffer.from(run.slice(from), 'base64');
  }
}

/** Decodes JSON escapes, also in text that is not JSON. */
function unescaped(text: string): string {
  return text.replaceAll(ESCAPE, (_, unit: string | undefined, letter: string | undefined) =>
    unit === undefined
      ? (SHORT[letter ?? ''] ?? letter ?? '')
      : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

/** The character with a hexadecimal code. */
function fromHex(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

/** The texts that an event stream builds up by its deltas, one per place in the JSON of its events. */
export function deltasOf(stream: Uint8Array): Uint8Array[] {
  const texts = new Map<string, Uint8Array[]>();
  const add = (name: string, bytes: Uint8Array) => {
    const text = texts.get(name);
    if (text === undefined) texts.set(name, [bytes]);
    else text.push(bytes);
  };
  const reader = new SseReader();
  const events = reader.push(stream);
  const { events: last, rest } = reader.finish();
  for (const { event, json, start, end } of [...events, ...last, ...(rest === null ? [] : [rest])]) {
    const { bytes } = eventData(stream.subarray(start, end));
    if (json === null) add(`${event} text`, bytes);
    else
      for (const string of jsonStrings(bytes, () => true)) {
        add(`${event} json ${jsonPathName(string.path, json.value)}`, string.bytes);
      }
  }
  return [...texts.values()].map((pieces) => Buffer.concat(pieces));
}
