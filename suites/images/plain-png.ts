import { crc32, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Bytes per pixel by colour type, at eight bits per channel. */
const PIXEL_BYTES: Readonly<Record<number, number>> = { 2: 3, 6: 4 };
/** Number of filter types that a line may have; they are numbered from 0. */
const FILTER_COUNT = 5;

/**
 * Whether the file is an intact PNG of the simplest kind: true colour at eight bits per channel, not interlaced, only
 * pixel data. A decoder has to read any other image, which takes ten times as long.
 */
export function isPlainPng(bytes: Buffer): boolean {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return false;
  const chunks = chunksOf(bytes);
  const [head, ...rest] = chunks ?? [];
  if (head?.name !== 'IHDR' || head.data.length !== 13 || rest.pop()?.name !== 'IEND') return false;
  const [width, height] = [head.data.readUInt32BE(0), head.data.readUInt32BE(4)];
  const [depth, colourType = 0, compression, filter, interlace] = head.data.subarray(8);
  const pixelBytes = PIXEL_BYTES[colourType];
  if (pixelBytes === undefined || depth !== 8 || compression !== 0 || filter !== 0 || interlace !== 0)
    return false;
  if (width === 0 || height === 0 || rest.some(({ name }) => name !== 'IDAT')) return false;
  const stride = 1 + width * pixelBytes;
  const pieces = rest.map(({ data }) => data);
  const lines = inflate(pieces, stride * height);
  if (lines?.length !== stride * height) return false;
  for (let at = 0; at < lines.length; at += stride)
    if ((lines[at] ?? FILTER_COUNT) >= FILTER_COUNT) return false;
  return true;
}

interface Chunk {
  readonly name: string;
  readonly data: Buffer;
}

/** The chunks; null if one is cut short or does not match its checksum. */
function chunksOf(bytes: Buffer): readonly Chunk[] | null {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    if (at + 12 > bytes.length) return null;
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return null;
    chunks.push({ name: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

function inflate(pieces: readonly Buffer[], size: number): Buffer | null {
  try {
    return inflateSync(Buffer.concat(pieces), { maxOutputLength: size });
  } catch {
    return null;
  }
}
