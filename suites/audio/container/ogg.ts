import type { ContainerReader } from './audio.ts';

/** Opus positions count samples at 48 kHz, whatever the sample rate of its input (RFC 7845). */
const OPUS_RATE = 48_000;
const HEADER = 27;

/** Ogg (RFC 3533): the first page names the codec, the position of the last one is the duration. */
export const readOgg: ContainerReader = (bytes) => {
  let page = pageAt(bytes, 0);
  if (page === null) return null;
  const head = bytes.subarray(page.content, page.end);
  let last = page.granule;
  for (let next = pageAt(bytes, page.end); next !== null; next = pageAt(bytes, page.end)) {
    page = next;
    // A page on which no packet ends has the position -1.
    if (next.granule >= 0n) last = next.granule;
  }
  if (head.toString('latin1', 0, 8) === 'OpusHead' && head.length >= 12) {
    const seconds = (Number(last) - head.readUInt16LE(10)) / OPUS_RATE;
    return { format: 'ogg-opus', seconds: Math.max(0, seconds) };
  }
  if (head.toString('latin1', 1, 7) === 'vorbis' && head.length >= 16) {
    return { format: 'ogg', seconds: Number(last) / head.readUInt32LE(12) };
  }
  return { format: head.toString('latin1', 1, 5) === 'FLAC' ? 'ogg-flac' : 'ogg', seconds: null };
};

interface Page {
  readonly granule: bigint;
  readonly content: number;
  readonly end: number;
}

function pageAt(bytes: Buffer, at: number): Page | null {
  if (at + HEADER > bytes.length || bytes.toString('latin1', at, at + 4) !== 'OggS') return null;
  const content = at + HEADER + (bytes[at + HEADER - 1] ?? 0);
  if (content > bytes.length) return null;
  const size = bytes.subarray(at + HEADER, content).reduce((sum, lacing) => sum + lacing, 0);
  return { granule: bytes.readBigInt64LE(at + 6), content, end: Math.min(content + size, bytes.length) };
}
