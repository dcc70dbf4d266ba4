/** Ids of Matroska elements that contain others: Segment, Info, Cluster, BlockGroup. */
const PARENT_IDS = new Set([0x18538067, 0x1549a966, 0x1f43b675, 0xa0]);
/** Ids of TimecodeScale (nanoseconds per tick), Duration (ticks), a cluster's time, and the two kinds of blocks. */
const [SCALE_ID, DURATION_ID, CLUSTER_TIME_ID, ...BLOCK_IDS] = [0x2ad7b1, 0x4489, 0xe7, 0xa3, 0xa1];

/** Kilobits per second of MPEG layer III by index: for MPEG 1, and for MPEG 2 and 2.5. */
const MPEG1_BIT_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_BIT_RATES = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** Samples per second for MPEG 1. */
const SAMPLE_RATES = [44_100, 48_000, 32_000];
/** Divisors of the sample rate by version bits: MPEG 2.5, reserved, MPEG 2, MPEG 1. */
const RATE_DIVISORS = [4, 0, 2, 1];
/** Minimum number of consecutive frames: a header may occur by chance. At the end of the file, one frame is enough. */
const MIN_FRAMES = 3;

/** Seconds of WAVE, FLAC, Ogg (Opus, Vorbis), MP4, WebM or MP3. @throws Error that says why it cannot be read. */
export function audioSeconds(bytes: Buffer): number {
  const seconds = readSeconds(withoutId3(bytes));
  if (!Number.isFinite(seconds) || seconds <= 0)
    throw new Error('it contains no sound, or does not state its length');
  return seconds;
}

/** Chooses the reader by the first bytes. MP3 has no signature, so it comes last. */
function readSeconds(bytes: Buffer): number {
  const name = bytes.toString('latin1', 0, 4);
  if ((name === 'RIFF' || name === 'RF64') && bytes.toString('latin1', 8, 12) === 'WAVE')
    return waveSeconds(bytes);
  if (name === 'fLaC') return flacSeconds(bytes);
  if (name === 'OggS') return oggSeconds(bytes);
  if (bytes.toString('latin1', 4, 8) === 'ftyp') return mp4Seconds(bytes);
  if (bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3) return matroskaSeconds(bytes);
  return mp3Seconds(bytes);
}

function waveSeconds(bytes: Buffer): number {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 20 <= bytes.length) bytesPerSecond = bytes.readUInt32LE(at + 16);
    // Writers that do not know the size write 0 or the largest number.
    if (name === 'data') {
      const remaining = bytes.length - at - 8;
      return (size === 0 || size > remaining ? remaining : size) / bytesPerSecond;
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('it has no chunk of samples');
}

/**
 * Duration in seconds from STREAMINFO, which has a 20-bit sample rate and a 36-bit sample count. @throws Error if no
 * frame follows the metadata.
 */
function flacSeconds(bytes: Buffer): number {
  let seconds = 0;
  for (let at = 4, isLast = false; !isLast; ) {
    if (at + 4 > bytes.length) throw new Error('it ends before its first frame');
    const kind = bytes.readUInt8(at);
    const size = bytes.readUIntBE(at + 1, 3);
    if ((kind & 0x7f) === 0 && at + 22 <= bytes.length) {
      const format = bytes.readBigUInt64BE(at + 14);
      seconds = Number(format & 0xf_ffff_ffffn) / Number(format >> 44n);
    }
    isLast = kind >= 0x80;
    at += 4 + size;
    // A frame begins with thirteen one bits and two zero bits.
    if (isLast && (at + 2 > bytes.length || (bytes.readUInt16BE(at) & 0xfffe) !== 0xfff8))
      throw new Error('it ends before its first frame');
  }
  return seconds;
}

/** Duration in seconds, from the highest granule position of a page. @throws Error unless it is Opus or Vorbis. */
function oggSeconds(bytes: Buffer): number {
  let last = 0n;
  for (let at = 0; at + 27 <= bytes.length && bytes.toString('latin1', at, at + 4) === 'OggS'; ) {
    const granule = bytes.readBigInt64LE(at + 6);
    // A page on which no packet ends has the position -1.
    if (granule > last) last = granule;
    const table = at + 27 + bytes.readUInt8(at + 26);
    at = bytes.subarray(at + 27, table).reduce((end, size) => end + size, table);
  }
  const head = bytes.subarray(28, 28 + 19);
  if (head.length < 16) throw new Error('it ends before its first packet');
  if (head.toString('latin1', 0, 8) === 'OpusHead') return (Number(last) - head.readUInt16LE(10)) / 48_000;
  if (head.toString('latin1', 1, 7) === 'vorbis') return Number(last) / head.readUInt32LE(12);
  throw new Error('its Ogg stream is neither Opus nor Vorbis');
}

function mp4Seconds(bytes: Buffer): number {
  const header = findBox(findBox(bytes, 'moov') ?? Buffer.alloc(0), 'mvhd');
  const isLong = header?.[0] === 1;
  if (header === null || header.length < (isLong ? 32 : 20)) throw new Error('it has no movie header');
  const duration = isLong ? header.subarray(24, 32) : header.subarray(16, 20);
  // All bits are set if the duration is unknown.
  if (duration.every((byte) => byte === 0xff)) return 0;
  return readUnsigned(duration) / header.readUInt32BE(isLong ? 20 : 12);
}

function findBox(bytes: Buffer, name: string): Buffer | null {
  for (let at = 0; at + 8 <= bytes.length; ) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1 && at + 16 <= bytes.length;
    const head = isLong ? 16 : 8;
    let size = short === 0 ? bytes.length - at : short;
    if (isLong) size = Number(bytes.readBigUInt64BE(at + 8));
    if (size < head) return null;
    if (bytes.toString('latin1', at + 4, at + 8) === name) return bytes.subarray(at + head, at + size);
    at += size;
  }
  return null;
}

/** Seconds of a WebM or Matroska file: its stated duration, else the time of its last block. */
function matroskaSeconds(bytes: Buffer): number {
  let nanosecondsPerTick = 1_000_000;
  let duration = 0;
  let clusterTime = 0;
  let lastBlockTime = 0;
  for (let at = 0; at < bytes.length; ) {
    const id = readVint(bytes, at, 4);
    const size = id === null ? null : readVint(bytes, at + id.length, 8);
    if (id === null || size === null) break;
    const from = at + id.length + size.length;
    const content = bytes.subarray(from, from + size.value);
    if (id.raw === SCALE_ID) nanosecondsPerTick = readUnsigned(content);
    if (id.raw === DURATION_ID) duration = readFloat(content);
    if (id.raw === CLUSTER_TIME_ID) clusterTime = readUnsigned(content);
    if (BLOCK_IDS.includes(id.raw) && content.length >= 4)
      lastBlockTime = Math.max(lastBlockTime, clusterTime + content.readInt16BE(1));
    at = PARENT_IDS.has(id.raw) ? from : from + size.value;
  }
  return ((duration || lastBlockTime) * nanosecondsPerTick) / 1e9;
}

/** An EBML variable-length integer: its bytes are one more than its leading zero bits. Null if invalid. */
function readVint(bytes: Buffer, at: number, maxLength: 4 | 8) {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > maxLength || at + length > bytes.length) return null;
  const digits = [...bytes.subarray(at, at + length)];
  const raw = digits.reduce((sum, byte) => sum * 256 + byte, 0);
  return { length, raw, value: raw - 2 ** (7 * length) };
}

function readUnsigned(bytes: Buffer): number {
  return bytes.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0);
}

function readFloat(bytes: Buffer): number {
  if (bytes.length === 4) return bytes.readFloatBE(0);
  return bytes.length === 8 ? bytes.readDoubleBE(0) : 0;
}

/** The bytes after an ID3v2 tag at the start, which a file of any format may have. */
function withoutId3(bytes: Buffer): Buffer {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return bytes;
  return bytes.subarray([6, 7, 8, 9].reduce((size, at) => (size << 7) | ((bytes[at] ?? 0) & 0x7f), 0) + 10);
}

function mp3Seconds(bytes: Buffer): number {
  let seconds = 0;
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at)) {
    const frames = readFrames(bytes, at);
    const isSound = frames.count >= MIN_FRAMES || (frames.count > 0 && frames.end >= bytes.length);
    if (isSound) seconds += frames.seconds;
    at = isSound ? frames.end : at + 1;
  }
  if (seconds === 0) throw new Error('its format is not supported');
  return seconds;
}

function readFrames(bytes: Buffer, from: number): { count: number; seconds: number; end: number } {
  const frames = { count: 0, seconds: 0, end: from };
  for (let frame = readFrame(bytes, from); frame !== null; frame = readFrame(bytes, frames.end)) {
    frames.count += 1;
    frames.seconds += frame.seconds;
    frames.end += frame.size;
  }
  return frames;
}

function readFrame(bytes: Buffer, at: number): { size: number; seconds: number } | null {
  if (at + 4 > bytes.length) return null;
  const head = bytes.readUInt32BE(at);
  // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5; 1 is reserved.
  const version = (head >>> 19) & 3;
  const isLayer3 = head >>> 21 === 0x7ff && ((head >>> 17) & 3) === 1;
  if (!isLayer3 || version === 1) return null;
  const kilobits = (version === 3 ? MPEG1_BIT_RATES : MPEG2_BIT_RATES)[(head >>> 12) & 15] ?? 0;
  const rate = (SAMPLE_RATES[(head >>> 10) & 3] ?? 0) / (RATE_DIVISORS[version] ?? 1);
  if (kilobits === 0 || rate === 0) return null;
  const samples = version === 3 ? 1152 : 576;
  return {
    size: Math.floor((samples * kilobits * 125) / rate) + ((head >>> 9) & 1),
    seconds: samples / rate,
  };
}
