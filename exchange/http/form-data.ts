import { type MultipartPart, parseMultipart } from '@remix-run/multipart-parser';
import { getOrMake } from '../../schemas/maps.ts';
import { Body, type FormDataPart } from './body.ts';
import { decodedContent, mediaTypeOf } from './content.ts';
import type { HttpMessage } from './message.ts';

/** Maximum size in bytes of a field whose text is kept even if the form is not. Files are not kept then. */
export const MAX_FIELD_BYTES = 64 * 1024;
/** Maximum size in bytes of the header of a part; a form with a larger one counts as malformed. */
export const MAX_HEADER_BYTES = 64 * 1024;
/** Maximum number of parts; a form with more counts as malformed. */
export const MAX_FORM_PARTS = 10_000;

const forms = new WeakMap<HttpMessage, readonly FormDataPart[] | null>();

/** Null if the message is not multipart, or its parts are neither known nor readable. */
export function formDataParts(message: HttpMessage): readonly FormDataPart[] | null {
  // Most messages are not multipart; caching them would cost more than this test.
  if (!mediaTypeOf(message.headers)?.essence.startsWith('multipart/')) return null;
  return getOrMake(forms, message, () => parseMessage(message));
}

function parseMessage(message: HttpMessage): readonly FormDataPart[] | null {
  const boundary = mediaTypeOf(message.headers)?.boundary ?? null;
  const content = decodedContent(message);
  // Parts that are already known need no boundary, which some recorders do not store.
  if (content?.bytes === null) return content.parts;
  return boundary === null || content === null ? null : parseFormData(content.bytes, boundary);
}

/** Null if the form is malformed or exceeds a limit; without any bytes, it has no parts. */
export function parseFormData(bytes: Uint8Array, boundary: string): readonly FormDataPart[] | null {
  const limits = {
    maxFileSize: Number.POSITIVE_INFINITY,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxParts: MAX_FORM_PARTS,
  };
  try {
    return [...parseMultipart(bytes, { boundary, ...limits })].map(toFormDataPart);
  } catch {
    return null;
  }
}

function toFormDataPart(parsed: MultipartPart): FormDataPart {
  return {
    name: parsed.name ?? null,
    filename: parsed.filename ?? null,
    type: parsed.mediaType ?? null,
    headers: Object.entries(parsed.headers).map(([name, value]) => [name, value ?? ''] as const),
    body: Body.from(parsed.bytes),
  };
}
