import { type MultipartPart, parseMultipart } from '@remix-run/multipart-parser';
import { Body, type FormDataPart } from './body.ts';
import { decodedContent, type HttpMessage, mediaTypeOf } from './content.ts';

export type { FormDataPart } from './body.ts';

const forms = new WeakMap<HttpMessage, readonly FormDataPart[] | null>();

/** The parts of a multipart body, in order; null when it is not multipart, not kept, or malformed. */
export function formDataParts(message: HttpMessage): readonly FormDataPart[] | null {
  // Most messages are not multipart: a cache entry for them would cost more than this test.
  if (!mediaTypeOf(message.headers)?.essence.startsWith('multipart/')) return null;
  const known = forms.get(message);
  if (known !== undefined) return known;
  const parts = parse(message);
  forms.set(message, parts);
  return parts;
}

/** Parses the decoded body of a multipart message. */
function parse(message: HttpMessage): readonly FormDataPart[] | null {
  const boundary = mediaTypeOf(message.headers)?.boundary ?? null;
  const content = decodedContent(message);
  // Of parts that were kept instead of the bytes no boundary is needed: some recorders do not write it down.
  if (content?.bytes === null) return content.parts;
  return boundary === null || content === null ? null : parseFormData(content.bytes, boundary);
}

/** The parts of a multipart body with this boundary, or null when it is malformed. */
export function parseFormData(bytes: Uint8Array, boundary: string): readonly FormDataPart[] | null {
  const limits = { maxFileSize: Number.POSITIVE_INFINITY, maxHeaderSize: 64 * 1024, maxParts: 10_000 };
  try {
    return [...parseMultipart(bytes, { boundary, ...limits })].map(part);
  } catch {
    return null;
  }
}

/** A part in our form. */
function part(parsed: MultipartPart): FormDataPart {
  return {
    name: parsed.name ?? null,
    filename: parsed.filename ?? null,
    type: parsed.mediaType ?? null,
    headers: Object.entries(parsed.headers).map(([name, value]) => [name, value ?? ''] as const),
    body: Body.of(parsed.bytes),
  };
}
