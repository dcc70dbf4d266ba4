import { inflateRawSync } from 'node:zlib';
import { bufferOn } from './bytes.ts';

// The format of zip files (APPNOTE 6.3): each file has a local header, and a header in the central directory.
const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = Buffer.from('PK\u0001\u0002', 'latin1');
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;
const STORED_METHOD = 0;
const DEFLATE_METHOD = 8;
const ENCRYPTED_FLAG = 1;

export function isZip(bytes: Uint8Array): boolean {
  return bytes.length > LOCAL_SIZE && beginsAsZip(bytes);
}

export function beginsAsZip(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bufferOn(bytes).readUInt32LE(0) === LOCAL_SIGNATURE;
}

export interface ZipEntry {
  /** Null if the file is damaged, encrypted, beyond a limit, or compressed by a method other than deflate. */
  readonly content: Uint8Array | null;
  /** Where the packed content begins in the archive; 0 if its local header is missing. */
  readonly from: number;
  /** Where the packed content ends; 0 if its local header is missing. */
  readonly to: number;
}

/** After this many files without content, no more are unpacked: each may cost as much as an intact one. */
const MAX_UNREADABLE = 16;

/**
 * Returns the files of a zip file; files beyond a total unpacked size of `maxBytes` have no content. Empty if the bytes
 * are not a zip file; one entry without content if the zip file has no directory.
 */
export function readZipEntries(bytes: Uint8Array, maxBytes: number): readonly ZipEntry[] {
  if (!isZip(bytes)) return [];
  const archive = bufferOn(bytes);
  const entries: ZipEntry[] = [];
  let room = maxBytes;
  let unreadableCount = 0;
  const findHeader = (from: number) => archive.indexOf(CENTRAL_SIGNATURE, from);
  for (let at = findHeader(0); at !== -1; at = findHeader(at + 4)) {
    if (at + CENTRAL_SIZE > archive.length) continue;
    const entry = readEntry(archive, at, unreadableCount < MAX_UNREADABLE ? room : 0);
    if (entry.content === null) unreadableCount += 1;
    else room -= entry.content.length;
    entries.push(entry);
  }
  return entries.length === 0 ? [{ content: null, from: 0, to: 0 }] : entries;
}

/** `at`: offset of a central header. The numbers are offsets in the headers (APPNOTE 4.3.7, 4.3.12). */
function readEntry(archive: Buffer, at: number, maxBytes: number): ZipEntry {
  const [flags, method] = [archive.readUInt16LE(at + 8), archive.readUInt16LE(at + 10)];
  const [packed, local] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 42)];
  if (local + LOCAL_SIZE > archive.length || archive.readUInt32LE(local) !== LOCAL_SIGNATURE)
    return { content: null, from: 0, to: 0 };
  const from = local + LOCAL_SIZE + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const content = archive.subarray(from, from + packed);
  const to = from + content.length;
  if ((flags & ENCRYPTED_FLAG) !== 0 || maxBytes === 0) return { content: null, from, to };
  if (method === STORED_METHOD) return { content: content.length <= maxBytes ? content : null, from, to };
  return { content: method === DEFLATE_METHOD ? inflate(content, maxBytes) : null, from, to };
}

function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array | null {
  try {
    return inflateRawSync(bytes, { maxOutputLength: maxBytes });
  } catch {
    return null;
  }
}
