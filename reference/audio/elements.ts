/** Seconds of an MP4 file, as its movie header states. @throws Error without a movie header. */
export function mp4Seconds(bytes: Buffer): number {
  const movie = boxIn(bytes, 'moov');
  const header = movie === null ? null : boxIn(movie, 'mvhd');
  const isLong = header?.[0] === 1;
  if (header === null || header.length < (isLong ? 32 : 20)) throw new Error('it has no movie header');
  return isLong
    ? Number(header.readBigUInt64BE(24)) / header.readUInt32BE(20)
    : header.readUInt32BE(16) / header.readUInt32BE(12);
}

/** The content of the first box of this name. */
function boxIn(bytes: Buffer, name: string): Buffer | null {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= bytes.length;
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? bytes.length - at : short;
    const head = isLong ? 16 : 8;
    if (size < head) return null;
    if (bytes.toString('latin1', at + 4, at + 8) === name) return bytes.subarray(at + head, at + size);
    at += size;
  }
  return null;
}

/** Elements that hold others: Segment, Info, Cluster, BlockGroup. */
const parents = new Set([0x18538067, 0x1549a966, 0x1f43b675, 0xa0]);
/**
 * TimecodeScale (nanoseconds per tick), Duration (ticks), the time of a cluster, and the two kinds of blocks.
 */
const [scaleId, durationId, clusterTimeId, ...blockIds] = [0x2ad7b1, 0x4489, 0xe7, 0xa3, 0xa1];

/** Seconds of a WebM or Matroska file: its stated duration, else the time of its last block. */
export function matroskaSeconds(bytes: Buffer): number {
  let scale = 1_000_000;
  let duration = 0;
  let cluster = 0;
  let last = 0;
  for (let at = 0; at < bytes.length; ) {
    const id = numberAt(bytes, at, 4);
    const size = id === null ? null : numberAt(bytes, at + id.length, 8);
    if (id === null || size === null) break;
    const from = at + id.length + size.length;
    const content = bytes.subarray(from, from + size.value);
    if (id.raw === scaleId) scale = unsigned(content);
    if (id.raw === durationId) duration = float(content);
    if (id.raw === clusterTimeId) cluster = unsigned(content);
    if (blockIds.includes(id.raw) && content.length >= 4)
      last = Math.max(last, cluster + content.readInt16BE(1));
    at = parents.has(id.raw) ? from : from + size.value;
  }
  return ((duration || last) * scale) / 1e9;
}

/** An EBML number of variable length: the zero bits before the first one bit give the number of bytes. Null when invalid. */
function numberAt(bytes: Buffer, at: number, longest: 4 | 8) {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || length > longest || at + length > bytes.length) return null;
  const digits = [...bytes.subarray(at, at + length)];
  const raw = digits.reduce((sum, byte) => sum * 256 + byte, 0);
  return { length, raw, value: raw - 2 ** (7 * length) };
}

/** A big-endian unsigned integer of up to eight bytes. */
function unsigned(bytes: Buffer): number {
  return bytes.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0);
}

/** A big-endian float of four or eight bytes; other lengths are 0. */
function float(bytes: Buffer): number {
  if (bytes.length === 4) return bytes.readFloatBE(0);
  return bytes.length === 8 ? bytes.readDoubleBE(0) : 0;
}
