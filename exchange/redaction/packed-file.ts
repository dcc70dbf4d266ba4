import { gunzipSync, gzipSync } from 'node:zlib';
import { beginsAsZip, readZipEntries } from '../http/zip.ts';
import { type ByteFilter, bufferingFilter, filterWhole } from './byte-filter.ts';
import { MAX_CODED_BYTES, MAX_DECODED_BYTES } from './compressed-body.ts';

const GZIP_MAGIC = [0x1f, 0x8b, 0x08];
const ZIP_FIRST_BYTE = 0x50;
const MAGIC_BYTES = 4;
/** Layout of the gzip header (RFC 1952): its length, the flag for a file name, and the offset of the flags. */
const GZIP_HEADER_BYTES = 10;
const NAME_FLAG = 0x08;
const FLAGS_OFFSET = 3;

export function isGzip(bytes: Uint8Array): boolean {
  return GZIP_MAGIC.every((byte, i) => bytes[i] === byte);
}

/** Whether bytes begin like a gzip or zip file; null if there are too few to tell. */
export function beginsAsPacked(bytes: Uint8Array): boolean | null {
  if (bytes.length >= MAGIC_BYTES) return isGzip(bytes) || beginsAsZip(bytes);
  return bytes[0] === undefined || bytes[0] === GZIP_MAGIC[0] || bytes[0] === ZIP_FIRST_BYTE ? null : false;
}

/** Null if the file is damaged or unpacks to more than `maxBytes`. */
export function gunzip(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch {
    return null;
  }
}

interface PackedFilters {
  readonly content: () => ByteFilter;
  readonly fallback: () => ByteFilter;
}

/**
 * Redacts a gzip or zip file, even if no header declares it. It is held back until complete and keeps its length: gzip
 * is recompressed and padded, or emptied if it no longer fits; in a zip file, packed files with a secret are zeroed.
 */
export function packedFileFilter(
  { content, fallback }: PackedFilters,
  remark: (message: string) => void,
): ByteFilter {
  const redactGzip = (packed: Uint8Array): Uint8Array => {
    const plain = gunzip(packed, MAX_DECODED_BYTES);
    if (plain === null) {
      remark('A gzip file could not be unpacked: secrets in it are not replaced.');
      return filterWhole(fallback(), packed);
    }
    const redacted = filterWhole(content(), plain);
    // The name in its header and the bytes after its end are not part of its content.
    if (redacted.equals(plain)) return filterWhole(fallback(), packed);
    const repacked = padGzip(gzipSync(redacted, { level: 9 }), packed.length);
    if (repacked !== null) return repacked;
    remark(
      'A gzip file held a secret and could not be compressed to the same length: its content is left out.',
    );
    return padGzip(gzipSync(''), packed.length) ?? new Uint8Array(packed.length);
  };
  // Names and comments, and files that are not compressed, are redacted like other bytes.
  const redactZip = (packed: Uint8Array): Uint8Array => {
    const redacted = filterWhole(fallback(), packed);
    const entries = readZipEntries(redacted, MAX_DECODED_BYTES);
    if (entries.some((entry) => entry.content === null))
      remark('A file in a zip file could not be unpacked: secrets in it are not replaced.');
    const withSecret = entries.filter(
      ({ content: plain }) => plain !== null && !filterWhole(content(), plain).equals(plain),
    );
    // `redacted` may be a view of `packed`, which only this filter holds.
    for (const { from, to } of withSecret) redacted.fill(0, from, to);
    if (withSecret.length > 0) remark('A file in a zip file held a secret: it is left out.');
    return redacted;
  };
  return bufferingFilter(
    MAX_CODED_BYTES,
    (packed) => (isGzip(packed) ? redactGzip(packed) : redactZip(packed)),
    () => {
      remark('A packed file was too large to be unpacked: secrets in it are not replaced.');
      return fallback();
    },
  );
}

function padGzip(packed: Uint8Array, length: number): Uint8Array | null {
  const missing = length - packed.length;
  if (missing <= 0) return missing === 0 ? packed : null;
  const head = Buffer.from(packed.subarray(0, GZIP_HEADER_BYTES));
  head[FLAGS_OFFSET] = NAME_FLAG;
  const rest = packed.subarray(GZIP_HEADER_BYTES);
  return Buffer.concat([head, Buffer.alloc(missing - 1, 'x'), Buffer.alloc(1), rest]);
}
