// The body of a recorded response. Recorders differ: text, base64, pieces in base64 (Polly.js), hexadecimal digits, and
// bodies that are still compressed.
import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { isObject } from '../../schemas/json.ts';
import { Body } from '../http/body.ts';
import { contentCodings, decodeContent, mediaTypeOf } from '../http/content.ts';
import type { HeaderPairs } from '../http/headers.ts';
import { decodedBase64, isBase64 } from './base64.ts';
import type { HarContent, HarResponse } from './format.ts';

/** A body may not unfold beyond this many bytes. */
const MOST_DECODED = 256 * 1024 * 1024;

/**
 * Bytes of the response body without its content codings; null where the entry does not hold them. Throws
 * NotBase64Error for text that claims to be base64 and is not.
 */
export function responseContent(response: HarResponse, headers: HeaderPairs): Buffer | null {
  const content = response.content ?? { size: 0, mimeType: '' };
  const stored = storedBytes(content);
  if (stored === null) return isEmpty(response, headers) ? Buffer.alloc(0) : null;
  return undone(stored, headers, content.mimeType ?? '');
}

/** Whether a response without text had no body. Of event streams browsers keep neither text nor size. */
function isEmpty({ content, bodySize }: HarResponse, headers: HeaderPairs): boolean {
  const isStream = mediaTypeOf(headers)?.essence === 'text/event-stream';
  return !isStream && Math.max(content?.size ?? 0, bodySize ?? 0) <= 0;
}

/** Bytes of the response body as assay exported it, with its content codings. Throws NotBase64Error. */
export function exportedContent({ _coded: coded, text, encoding }: HarContent): Buffer {
  if (coded !== undefined) return decodedBase64(coded);
  return encoding === 'base64' ? decodedBase64(text ?? '') : Buffer.from(text ?? '');
}

/** The bytes as the recorder stored them; null where it did not, or where they were damaged. */
function storedBytes(content: HarContent): Buffer | null {
  const text = content.text ?? chunkText(content) ?? null;
  if (text === null) return null;
  const pieces = piecesOf(text, content);
  if (pieces !== null) return Buffer.concat(pieces);
  const encoding = (content.encoding ?? '').toLowerCase();
  if (encoding === 'base64') return decodedBase64(text);
  if (encoding === 'hex' && isHex(text)) return Buffer.from(text, 'hex');
  // Some recorders leave out that text is base64.
  if (encoding === '' && isUnmarked(text, content)) return decodedBase64(text);
  // A compressed body that was taken for text: each character is a byte, or bytes are lost.
  if (text.startsWith('\u001f\u008b')) return Buffer.from(text, 'latin1');
  return text.startsWith('\u001f\ufffd') ? null : Buffer.from(text);
}

/** Pieces as Polly.js stores them: a JSON array of base64, or of hexadecimal digits; null for any other text. */
function piecesOf(text: string, { encoding, mimeType, _isBinary }: HarContent): readonly Buffer[] | null {
  const isMarked = encoding === 'base64' || _isBinary === true || !/json/i.test(mimeType ?? '');
  if (!/^\s*\["/.test(text) || !isMarked) return null;
  let pieces: unknown;
  try {
    pieces = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(pieces) || !pieces.every((piece) => typeof piece === 'string')) return null;
  if (pieces.every(isHex) && encoding !== 'base64') return pieces.map((piece) => Buffer.from(piece, 'hex'));
  return pieces.every(isBase64) ? pieces.map(decodedBase64) : null;
}

/** The data of `_chunks`, where a recorder keeps a stream in pieces and not as text. */
function chunkText({ _chunks: chunks }: HarContent): string | null {
  if (!Array.isArray(chunks) || chunks.length === 0) return null;
  const data = chunks.map((chunk: unknown) => (isObject(chunk) ? chunk['data'] : chunk));
  return data.every((one) => typeof one === 'string') ? data.join('') : null;
}

/** Text that is base64 though nothing says so: its type is JSON, and only what it stands for begins like JSON, or is compressed. */
function isUnmarked(text: string, { mimeType }: HarContent): boolean {
  if (!/json/i.test(mimeType ?? '') || text.length < 8 || !/^[A-Za-z]/.test(text) || !isBase64(text))
    return false;
  const bytes = decodedBase64(text);
  return isGzip(bytes) || (isUtf8(bytes) && /^\s*[[{]/.test(bytes.toString()));
}

/** The bytes without codings that are still applied. HAR content should have none, and plain text has none. */
function undone(bytes: Buffer, headers: HeaderPairs, mimeType: string): Buffer {
  if (bytes.length === 0 || isUtf8(bytes)) return bytes;
  const content =
    contentCodings(headers).length === 0
      ? null
      : decodeContent({ headers, body: Body.of(bytes) }, MOST_DECODED);
  if (content?.bytes != null && content.bytes.length > 0) return Buffer.from(content.bytes);
  return isGzip(bytes) && /json|^text/i.test(mimeType) ? unzipped(bytes) : bytes;
}

/** The bytes themselves where they only look compressed. */
function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_DECODED });
  } catch {
    return bytes;
  }
}

function isGzip([first, second]: Buffer): boolean {
  return first === 0x1f && second === 0x8b;
}

function isHex(text: string): boolean {
  return text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text);
}
