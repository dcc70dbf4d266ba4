import { isUtf8 } from 'node:buffer';
import { isObject, tryParseJson } from '../../schemas/json.ts';
import { Body, type FormDataPart } from '../http/body.ts';
import { bufferOn } from '../http/bytes.ts';
import { contentCodings, decodeUpTo, mediaTypeOf, parseMediaType } from '../http/content.ts';
import { parseFormData } from '../http/form-data.ts';
import { firstHeader, type HeaderPairs } from '../http/headers.ts';
import { gunzip, isGzip } from '../redaction/packed-file.ts';
import type { HarContent, HarParameter, HarPostData, HarRequest, HarResponse } from './format.ts';

/**
 * A request body as far as it is known: all bytes, the parts of a form (some of them unknown), or nothing. Recorders
 * omit bodies and uploaded files; what they omit is unknown, not empty.
 */
export type RequestContent =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'form'; readonly size: number; readonly parts: readonly FormDataPart[] }
  | { readonly kind: 'unknown'; readonly size: number };

const NO_BODY_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'CONNECT', 'TRACE'];

/** Throws NotBase64Error. */
export function requestContent(request: HarRequest, headers: HeaderPairs): RequestContent {
  const { postData } = request;
  const size = sizeOf(request, headers);
  const text = postData?.text ?? '';
  if (postData?._encoding === 'base64') return { kind: 'bytes', bytes: decodeBase64(text) };
  if (text !== '') return textContent(text, { size, headers });
  const params = postData?.params ?? [];
  if (postData != null && params.length > 0) return paramsContent(postData, size);
  // A body of unknown size is empty if its method usually has no body.
  const isEmpty = size === 0 || (size === null && NO_BODY_METHODS.includes(request.method.toUpperCase()));
  return isEmpty ? { kind: 'bytes', bytes: Buffer.alloc(0) } : { kind: 'unknown', size: size ?? 1 };
}

function sizeOf({ bodySize }: HarRequest, headers: HeaderPairs): number | null {
  const length = firstHeader(headers, 'content-length') ?? '';
  const contentLength = /^\d+$/.test(length) ? Number(length) : -1;
  // Some recorders write 0 for a body that they did not keep.
  if (contentLength > 0 && Number.isSafeInteger(contentLength)) return contentLength;
  if (bodySize != null && bodySize >= 0 && Number.isSafeInteger(bodySize)) return bodySize;
  return contentLength === 0 ? 0 : null;
}

/** Browsers record forms without the content of their files; a size larger than the text reveals that. */
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
  return { kind: 'form', size: size ?? bytes.length, parts: parts.map(withUnknownFile) };
}

function withUnknownFile(part: FormDataPart): FormDataPart {
  return part.filename !== null && part.body.size === 0 ? { ...part, body: Body.unknown() } : part;
}

/**
 * A multipart form with files, or without a boundary, is known only by its parts, and has content even if the recorder
 * gives no size or 0.
 */
function paramsContent(postData: HarPostData, size: number | null): RequestContent {
  const type = parseMediaType(postData.mimeType ?? null);
  const params = postData.params ?? [];
  if (type?.essence === 'application/x-www-form-urlencoded')
    return { kind: 'bytes', bytes: urlEncodedForm(params) };
  if (type?.essence.startsWith('multipart/') !== true) return { kind: 'unknown', size: size || 1 };
  if (type.boundary !== null && params.every(({ fileName }) => fileName == null))
    return { kind: 'bytes', bytes: multipartForm(params, type.boundary) };
  const parts = params.map(({ name, value, fileName, contentType }): FormDataPart => {
    const isMissing = fileName != null && (value ?? '') === '';
    return {
      name,
      filename: fileName ?? null,
      type: contentType ?? null,
      headers: [],
      body: isMissing ? Body.unknown() : Body.from(value ?? ''),
    };
  });
  return { kind: 'form', size: size || 1, parts };
}

const MAX_DECODED_BYTES = 256 * 1024 * 1024;

/** Null if the recorder omitted or damaged the body. Throws NotBase64Error. */
export function responseContent(response: HarResponse, headers: HeaderPairs): Buffer | null {
  const content = response.content ?? {};
  const stored = storedBytes(content);
  if (stored === null) return hasNoBody(response, headers) ? Buffer.alloc(0) : null;
  return removeCodings(stored, headers, content.mimeType ?? '');
}

/** Browsers keep neither text nor size of event streams. */
function hasNoBody({ content, bodySize }: HarResponse, headers: HeaderPairs): boolean {
  const isStream = mediaTypeOf(headers)?.essence === 'text/event-stream';
  return !isStream && Math.max(content?.size ?? 0, bodySize ?? 0) <= 0;
}

export function exportedContent({ _coded: coded, text, encoding }: HarContent): Buffer {
  if (coded !== undefined) return decodeBase64(coded);
  return encoding === 'base64' ? decodeBase64(text ?? '') : Buffer.from(text ?? '');
}

/**
 * The stored bytes; null if the recorder omitted or damaged them. Recorders write text, base64, hexadecimal digits,
 * pieces of the latter two (Polly.js), or gzip read as text.
 */
function storedBytes(content: HarContent): Buffer | null {
  const text = content.text ?? chunkText(content) ?? null;
  if (text === null) return null;
  const encoding = (content.encoding ?? '').toLowerCase();
  const pieces = parsePieces(text, { ...content, encoding });
  if (pieces !== null) return Buffer.concat(pieces);
  if (encoding === 'base64') return decodeBase64(text);
  if ((encoding === 'hex' || content._isBinary === true) && isHex(text)) return Buffer.from(text, 'hex');
  // Some recorders do not mark base64.
  if (encoding === '' && isUnmarkedBase64(text, content)) return decodeBase64(text);
  // A gzip body that was read as text: each character is a byte, unless bytes were lost.
  if (text.startsWith('\u001f\u008b')) return Buffer.from(text, 'latin1');
  return text.startsWith('\u001f\ufffd') ? null : Buffer.from(text);
}

/** Pieces as Polly.js stores them: a JSON array of base64 or hexadecimal texts; null for other text. */
function parsePieces(text: string, { encoding, mimeType, _isBinary }: HarContent): readonly Buffer[] | null {
  const isMarked = encoding === 'base64' || _isBinary === true || !/json/i.test(mimeType ?? '');
  if (!/^\s*\["/.test(text) || !isMarked) return null;
  const pieces = tryParseJson(text);
  if (!Array.isArray(pieces) || !pieces.every((piece) => typeof piece === 'string')) return null;
  if (pieces.every(isHex) && encoding !== 'base64') return pieces.map((piece) => Buffer.from(piece, 'hex'));
  return pieces.every(isBase64) ? pieces.map(decodeBase64) : null;
}

function chunkText({ _chunks: chunks }: HarContent): string | null {
  if (!Array.isArray(chunks) || chunks.length === 0) return null;
  const data = chunks.map((chunk: unknown) => (isObject(chunk) ? chunk['data'] : chunk));
  return data.every((text) => typeof text === 'string') ? data.join('') : null;
}

/** Whether JSON content is base64 without a mark: the decoded bytes begin like JSON or gzip, the text does not. */
function isUnmarkedBase64(text: string, { mimeType }: HarContent): boolean {
  if (!/json/i.test(mimeType ?? '') || text.length < 8 || !/^[A-Za-z]/.test(text) || !isBase64(text))
    return false;
  const bytes = decodeBase64(text);
  return isGzip(bytes) || (isUtf8(bytes) && /^\s*[[{]/.test(bytes.toString()));
}

/** HAR content should have no codings, but some recorders keep them. */
function removeCodings(bytes: Buffer, headers: HeaderPairs, mimeType: string): Buffer {
  if (bytes.length === 0 || isUtf8(bytes)) return bytes;
  const content =
    contentCodings(headers).length === 0
      ? null
      : decodeUpTo({ headers, body: Body.from(bytes) }, MAX_DECODED_BYTES);
  if (content?.bytes != null && content.bytes.length > 0) return Buffer.from(content.bytes);
  const unpacked = isGzip(bytes) && /json|^text/i.test(mimeType) ? gunzip(bytes, MAX_DECODED_BYTES) : null;
  return unpacked === null ? bytes : Buffer.from(unpacked);
}

export function isHex(text: string): boolean {
  return text !== '' && text.length % 2 === 0 && !/[^0-9a-f]/i.test(text);
}

function urlEncodedForm(params: readonly HarParameter[]): Buffer {
  const pairs = params.map(({ name, value }): [string, string] => [name, value ?? '']);
  return Buffer.from(new URLSearchParams(pairs).toString());
}

function multipartForm(params: readonly HarParameter[], boundary: string): Buffer {
  const parts = params.map(({ name, value }) => {
    const disposition = `Content-Disposition: form-data; name="${quoteParameter(name)}"`;
    return `--${boundary}\r\n${disposition}\r\n\r\n${value ?? ''}\r\n`;
  });
  return Buffer.from(`${parts.join('')}--${boundary}--\r\n`);
}

/** Escapes a field name as browsers do (HTML Standard, multipart/form-data encoding algorithm). */
function quoteParameter(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

export class NotBase64Error extends Error {
  override readonly name = 'NotBase64Error';
}

/** Both alphabets of RFC 4648 (sections 4 and 5), with or without padding. */
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function isBase64(text: string): boolean {
  const digits = text.replaceAll(/\s+/g, '');
  return BASE64.test(digits) && digits.replace(/=+$/, '').length % 4 !== 1;
}

export function encodeBase64(bytes: Uint8Array): string {
  return bufferOn(bytes).toString('base64');
}

function decodeBase64(text: string): Buffer {
  if (!isBase64(text)) throw new NotBase64Error('text that is declared as base64 but is not');
  return Buffer.from(text, 'base64');
}
