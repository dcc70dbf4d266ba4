import { isUtf8 } from 'node:buffer';
import type { BodyViews, Json } from '../http/body.ts';
import { bufferOn } from '../http/bytes.ts';
import { parseBoundedJson } from '../http/json-text.ts';
import type { Inline, StoredBody } from './lines.ts';

export function inlineBytes(stored: Inline): Buffer {
  return 'text' in stored ? Buffer.from(stored.text) : Buffer.from(stored.base64, 'base64');
}

export function inlineBody(bytes: Uint8Array): Inline {
  return isUtf8(bytes)
    ? { text: bufferOn(bytes).toString() }
    : { base64: Buffer.from(bytes).toString('base64') };
}

/** The most readable form that decodes to the identical bytes: JSON, text or base64. */
export function encodeBody(bytes: Buffer): StoredBody {
  const stored = inlineBody(bytes);
  return 'text' in stored ? (asJson(stored.text) ?? stored) : stored;
}

/** Null for a body that is not in the line: in a blob, in the lines of a stream, or stored only as a digest. */
export function decodeBody(stored: StoredBody): Buffer | null {
  if ('text' in stored || 'base64' in stored) return inlineBytes(stored);
  if (!('json' in stored)) return null;
  return Buffer.from(`${JSON.stringify(stored.json, null, stored.indent)}${stored.tail ?? ''}`);
}

export function bodyViews(stored: StoredBody): BodyViews {
  if ('text' in stored) return { text: stored.text };
  return 'json' in stored ? { json: { value: stored.json } } : {};
}

/**
 * Null for a text that is nested too deeply, or that `JSON.stringify` would not reproduce exactly, apart from the line
 * breaks at its end.
 */
export function asJson(text: string): { indent?: number; tail?: string; json: Json } | null {
  let length = text.length;
  while (length > 0 && (text[length - 1] === '\n' || text[length - 1] === '\r')) length -= 1;
  const content = text.slice(0, length);
  const tail = text.slice(length);
  if (!/^[{["\d\-tfn]/.test(content)) return null;
  const indent = /^[{[]\n( +)/.exec(content)?.[1]?.length ?? 0;
  const parsed = parseBoundedJson(content);
  if (parsed === null || JSON.stringify(parsed.value, null, indent) !== content) return null;
  return { ...(indent > 0 && { indent }), ...(tail !== '' && { tail }), json: parsed.value };
}
