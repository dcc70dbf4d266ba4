// The body of a recorded request. Recorders leave out bodies, and the files of forms; what is left out is unknown, not empty.
import { Body, type FormDataPart } from '../http/body.ts';
import { parseMediaType } from '../http/content.ts';
import { parseFormData } from '../http/form-data.ts';
import { firstHeader, type HeaderPairs } from '../http/headers.ts';
import { decodedBase64 } from './base64.ts';
import { formBody } from './form-body.ts';
import type { HarPostData, HarRequest } from './format.ts';

/** The body as far as an entry shows it: all bytes, the parts of a form of which some are unknown, or nothing. */
export type RequestContent =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'form'; readonly size: number; readonly parts: readonly FormDataPart[] }
  | { readonly kind: 'unknown'; readonly size: number };

/** Methods whose requests have no content. */
const WITHOUT_CONTENT: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'CONNECT', 'TRACE'];

/** The body of the request of an entry. Throws Error where text in base64 is not base64. */
export function requestContent(request: HarRequest, headers: HeaderPairs): RequestContent {
  const { postData } = request;
  const size = sizeOf(request, headers);
  const text = postData?.text ?? '';
  if (postData?._encoding === 'base64') return { kind: 'bytes', bytes: decodedBase64(text) };
  if (text !== '') return textContent(text, { size, headers });
  const params = postData?.params ?? [];
  if (postData != null && params.length > 0) return paramsContent(postData, size);
  // -1 and null stand for a size that the recorder does not know.
  const isEmpty = size === 0 || (size === null && WITHOUT_CONTENT.includes(request.method.toUpperCase()));
  return isEmpty ? { kind: 'bytes', bytes: Buffer.alloc(0) } : { kind: 'unknown', size: size ?? 1 };
}

/** Bytes of the body as the entry or its header fields state them; null where neither does. */
function sizeOf({ bodySize }: HarRequest, headers: HeaderPairs): number | null {
  const length = firstHeader(headers, 'content-length');
  const stated = length === null || !/^\d+$/.test(length) ? null : Number(length);
  // Some recorders write 0 for a body that they did not keep.
  if (stated !== null && stated > 0) return stated;
  if (typeof bodySize === 'number' && bodySize >= 0) return bodySize;
  return stated;
}

/** Text as it was sent. Browsers write forms without the content of the files in them, which is seen by the size. */
function textContent(
  text: string,
  { size, headers }: { readonly size: number | null; readonly headers: HeaderPairs },
): RequestContent {
  const bytes = Buffer.from(text);
  const type = parseMediaType(firstHeader(headers, 'content-type'));
  if (type?.essence.startsWith('multipart/') !== true) return { kind: 'bytes', bytes };
  const boundary = type.boundary ?? /^--([^\r\n]+)\r?\n/.exec(text)?.[1] ?? null;
  const parts = boundary === null ? null : parseFormData(bytes, boundary);
  if (parts === null) return { kind: 'unknown', size: size ?? bytes.length };
  const isComplete = type.boundary !== null && (size === null || size <= bytes.length);
  if (isComplete) return { kind: 'bytes', bytes };
  return { kind: 'form', size: size ?? bytes.length, parts: parts.map(withoutEmptyFile) };
}

/** A part of a form; a file without content is one that the recorder left out. */
function withoutEmptyFile(part: FormDataPart): FormDataPart {
  return part.filename !== null && part.body.size === 0 ? { ...part, body: Body.unknown() } : part;
}

/** The fields that an entry lists. Files without content, and forms without their boundary, are known by their fields only. */
function paramsContent(postData: HarPostData, size: number | null): RequestContent {
  const type = parseMediaType(postData.mimeType ?? null);
  const params = postData.params ?? [];
  const isMultipart = type?.essence.startsWith('multipart/') === true;
  if (!isMultipart || (type.boundary !== null && params.every(({ fileName }) => fileName == null)))
    return { kind: 'bytes', bytes: formBody(postData) };
  const parts = params.map(({ name, value, fileName, contentType }): FormDataPart => {
    const isLeftOut = fileName != null && (value ?? '') === '';
    return {
      name,
      filename: fileName ?? null,
      type: contentType ?? null,
      headers: [],
      body: isLeftOut ? Body.unknown() : Body.of(value ?? ''),
    };
  });
  return { kind: 'form', size: size ?? 1, parts };
}
