import { inflateRawSync } from 'node:zlib';
import { bufferOn } from './bytes.ts';

/** Layout of a zip file (APPNOTE 6.3): signatures, and offsets in the header of a file. */
const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;
const DEFLATED = 8;
const ENCRYPTED = 1;

export function isZip(bytes: Uint8Array): boolean {
  return bytes.length > LOCAL_SIZE && beginsAsZip(bytes);
}

/** Whether bytes, more of which may follow, begin like a zip file. */
export function beginsAsZip(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bufferOn(bytes).readUInt32LE(0) === LOCAL_SIGNATURE;
}

export interface ZipEntry {
  /** Null if the file is damaged, too large when unpacked, or compressed by a method other than deflate. */
  readonly content: Uint8Array | null;
  /** Offsets of the packed bytes. */
  readonly from: number;
  readonly to: number;
}

/** Maximum number of damaged files in an archive before the rest is skipped: each may cost as much as an intact one. */
const MAX_DAMAGED = 16;

/**
 * The files of a zip file; those that exceed a total unpacked size of `most` bytes have no content. Empty if the bytes are not
 * a zip file; one entry without content if the zip file has no directory.
 */
export function zipEntries(bytes: Uint8Array, most: number): readonly ZipEntry[] {
  if (!isZip(bytes)) return [];
  const all = bufferOn(bytes);
  const found: ZipEntry[] = [];
  const mark = Buffer.from('PK\u0001\u0002', 'latin1');
  let room = most;
  let damaged = 0;
  for (let at = all.indexOf(mark); at !== -1; at = all.indexOf(mark, at + 4)) {
    if (at + CENTRAL_SIZE > all.length || all.readUInt32LE(at) !== CENTRAL_SIGNATURE) continue;
    const entry = readEntry(all, at, damaged < MAX_DAMAGED ? room : 0);
    if (entry.content === null) damaged += 1;
    else room -= entry.content.length;
    found.push(entry);
  }
  return found.length === 0 ? [{ content: null, from: 0, to: 0 }] : found;
}

function readEntry(all: Buffer, at: number, most: number): ZipEntry {
  const [flags, method] = [all.readUInt16LE(at + 8), all.readUInt16LE(at + 10)];
  const [packed, local] = [all.readUInt32LE(at + 20), all.readUInt32LE(at + 42)];
  if (local + LOCAL_SIZE > all.length || all.readUInt32LE(local) !== LOCAL_SIGNATURE)
    return { content: null, from: 0, to: 0 };
  const from = local + LOCAL_SIZE + all.readUInt16LE(local + 26) + all.readUInt16LE(local + 28);
  const content = all.subarray(from, from + packed);
  const to = from + content.length;
  if ((flags & ENCRYPTED) !== 0 || most === 0) return { content: null, from, to };
  if (method === 0) return { content: content.length <= most ? content : null, from, to };
  return { content: method === DEFLATED ? inflate(content, most) : null, from, to };
}

/** Inflates bytes; null if they are damaged or the content exceeds `most` bytes. */
function inflate(bytes: Uint8Array, most: number): Uint8Array | null {
  try {
    return inflateRawSync(bytes, { maxOutputLength: most });
  } catch {
    return null;
  }
}
