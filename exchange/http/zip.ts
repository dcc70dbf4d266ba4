import { inflateRawSync } from 'node:zlib';

/** Layout of a zip file (APPNOTE 6.3): signatures, and offsets in the header of a file. */
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;
const DEFLATED = 8;

export function isZip(bytes: Uint8Array): boolean {
  return bytes.length > LOCAL_SIZE && view(bytes).readUInt32LE(0) === LOCAL;
}

/**
 * The content of each file; null for one that is damaged or unpacks to more than `most` bytes. Empty for bytes that
 * are no zip file.
 */
export function zipEntries(bytes: Uint8Array, most: number): readonly (Uint8Array | null)[] {
  if (!isZip(bytes)) return [];
  const all = view(bytes);
  const found: (Uint8Array | null)[] = [];
  const mark = Buffer.from('PK\u0001\u0002', 'latin1');
  for (let at = all.indexOf(mark); at !== -1; at = all.indexOf(mark, at + 4))
    if (at + CENTRAL_SIZE <= all.length && all.readUInt32LE(at) === CENTRAL)
      found.push(entryAt(all, at, most));
  return found.length === 0 ? [null] : found;
}

/** Reads the file that an entry of the central directory describes. */
function entryAt(all: Buffer, at: number, most: number): Uint8Array | null {
  const [method, packed, local] = [
    all.readUInt16LE(at + 10),
    all.readUInt32LE(at + 20),
    all.readUInt32LE(at + 42),
  ];
  if (local + LOCAL_SIZE > all.length || all.readUInt32LE(local) !== LOCAL) return null;
  const from = local + LOCAL_SIZE + all.readUInt16LE(local + 26) + all.readUInt16LE(local + 28);
  const content = all.subarray(from, from + packed);
  if (method === 0) return content;
  try {
    return method === DEFLATED ? inflateRawSync(content, { maxOutputLength: most }) : null;
  } catch {
    return null;
  }
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
