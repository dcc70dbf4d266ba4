import { type MultipartPart, parseMultipart } from '@remix-run/multipart-parser';
import { Body } from './body.ts';
import { decoded, type Message, mediaType } from './content.ts';
import type { HeaderPairs } from './exchange.ts';

/** A part of a `multipart/form-data` body. */
export interface Part {
  readonly name: string | null;
  readonly filename: string | null;
  /** Its media type without parameters, or null when it names none. */
  readonly type: string | null;
  /** Names in lower case. */
  readonly headers: HeaderPairs;
  readonly body: Body;
}

const forms = new WeakMap<Message, readonly Part[] | null>();

/** The parts of a multipart body, in order; null when it is not multipart, not kept, or malformed. */
export function form(message: Message): readonly Part[] | null {
  // Most are none: remembering that would cost more than to see it again.
  if (!mediaType(message.headers)?.essence.startsWith('multipart/')) return null;
  const known = forms.get(message);
  if (known !== undefined) return known;
  const parts = parse(message);
  forms.set(message, parts);
  return parts;
}

function parse(message: Message): readonly Part[] | null {
  const boundary = mediaType(message.headers)?.boundary ?? null;
  const content = decoded(message);
  if (boundary === null || content === null) return null;
  if (content.bytes === null) return content.parts;
  return parseForm(content.bytes, boundary);
}

/** The parts of a multipart body with this boundary, or null when it is malformed. */
export function parseForm(bytes: Uint8Array, boundary: string): readonly Part[] | null {
  const limits = { maxFileSize: Number.POSITIVE_INFINITY, maxHeaderSize: 64 * 1024, maxParts: 10_000 };
  try {
    return [...parseMultipart(bytes, { boundary, ...limits })].map(part);
  } catch {
    return null;
  }
}

function part(parsed: MultipartPart): Part {
  return {
    name: parsed.name ?? null,
    filename: parsed.filename ?? null,
    type: parsed.mediaType ?? null,
    headers: Object.entries(parsed.headers).map(([name, value]) => [name, value ?? ''] as const),
    body: Body.of(parsed.bytes),
  };
}
