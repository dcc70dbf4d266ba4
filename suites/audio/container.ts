import { bufferOn } from '../../exchange/http/bytes.ts';

export interface AudioInfo {
  /** The container, with its codec if the container alone is ambiguous: `ogg-opus`. */
  readonly format: 'mp3' | 'aac' | 'flac' | 'wav' | 'ogg-opus' | 'ogg-flac' | 'ogg' | 'mp4' | 'webm';
  /** Duration in seconds; null if the bytes do not show it, or show it in a form that is not read. */
  readonly seconds: number | null;
}

/** Reads one container; returns null for bytes in another format. Never throws on truncated or damaged bytes. */
type ContainerReader = (bytes: Buffer) => AudioInfo | null;

/** A frame of compressed audio: its size in bytes and its duration in seconds. */
interface AudioFrame {
  readonly size: number;
  readonly seconds: number;
}

const SYNC_BYTE = 0xff;
/** Fewer consecutive frames may be a coincidence. */
const MIN_FRAMES = 3;

type FrameReader = (bytes: Buffer, at: number) => AudioFrame | null;

/**
 * The total duration in seconds of the frames from `begin` on, without the tags between them; null if none begins
 * there, or if other bytes follow fewer than `MIN_FRAMES`.
 */
function secondsOfFrames(bytes: Buffer, begin: number, frameAt: FrameReader): number | null {
  const first = scanFrames(bytes, begin, frameAt);
  const reachesEnd = first.frames > 0 && first.end >= bytes.length;
  if (first.frames < MIN_FRAMES && !reachesEnd) return null;
  let { seconds } = first;
  for (let at = bytes.indexOf(SYNC_BYTE, first.end); at !== -1; at = bytes.indexOf(SYNC_BYTE, at)) {
    const run = scanFrames(bytes, at, frameAt);
    const isAudio = run.frames >= MIN_FRAMES;
    if (isAudio) seconds += run.seconds;
    at = isAudio ? run.end : at + 1;
  }
  return seconds;
}

function scanFrames(bytes: Buffer, begin: number, frameAt: FrameReader) {
  const run = { frames: 0, seconds: 0, end: begin };
  for (let frame = frameAt(bytes, begin); frame !== null; frame = frameAt(bytes, run.end)) {
    run.frames += 1;
    run.seconds += frame.seconds;
    run.end += frame.size;
  }
  return run;
}

/** The offset of the first byte after an ID3v2 tag; 0 without such a tag. */
function afterId3Tag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3' || bytes.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | ((bytes[at] ?? 0) & 0x7f), 0);
  return 10 + size;
}

/** Samples per second of AAC by index. */
const ADTS_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

/** AAC in ADTS (ISO/IEC 13818-7): frames of 1024 samples per block, each with its own header. */
const readAdts: ContainerReader = (bytes) => {
  const seconds = secondsOfFrames(bytes, 0, adtsFrameAt);
  return seconds === null ? null : { format: 'aac', seconds };
};

function adtsFrameAt(bytes: Buffer, at: number): AudioFrame | null {
  if (at + 7 > bytes.length) return null;
  const header = bytes.subarray(at, at + 7);
  const [sync = 0, kind = 0, rates = 0, high = 0, middle = 0, low = 0, blocks = 0] = header;
  const size = ((high & 3) << 11) | (middle << 3) | (low >> 5);
  const rate = ADTS_RATES[(rates >> 2) & 15];
  if (sync !== SYNC_BYTE || (kind & 0xf6) !== 0xf0 || rate === undefined || size < 7) return null;
  return { size, seconds: (1024 * ((blocks & 3) + 1)) / rate };
}

/** FLAC: the STREAMINFO block contains the sample rate and the number of samples, where 0 means unknown. */
const readFlac: ContainerReader = (bytes) => {
  if (bytes.toString('latin1', 0, 4) !== 'fLaC') return null;
  const info = bytes.subarray(8, 8 + 34);
  if (info.length < 18) return { format: 'flac', seconds: null };
  const rate = info.readUIntBE(10, 3) >> 4;
  const samples = ((info[13] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(14);
  return { format: 'flac', seconds: rate === 0 || samples === 0 ? null : samples / rate };
};

/** Kilobits per second by index: layer III of MPEG 1, and of MPEG 2 and 2.5. */
const MP3_BITRATES = {
  one: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  two: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const MP3_RATES = [44_100, 48_000, 32_000] as const;
/** Divisors of the sample rate by the two bits of the version: MPEG 2.5, reserved, MPEG 2, MPEG 1. */
const MP3_RATE_DIVISORS = [4, 0, 2, 1] as const;
const MAX_MP3_PADDING = 4096;

const readMp3: ContainerReader = (bytes) => {
  // Some encoders write padding before the first frame.
  for (let at = 0; at < Math.min(MAX_MP3_PADDING, bytes.length); at++) {
    const seconds = bytes[at] === SYNC_BYTE ? secondsOfFrames(bytes, at, mp3FrameAt) : null;
    if (seconds !== null) return { format: 'mp3', seconds };
  }
  return null;
};

function mp3FrameAt(bytes: Buffer, at: number): AudioFrame | null {
  if (at + 4 > bytes.length) return null;
  const [sync = 0, version = 0, rates = 0] = bytes.subarray(at, at + 3);
  const divisor = MP3_RATE_DIVISORS[(version >> 3) & 3] ?? 0;
  const isLayer3 = sync === SYNC_BYTE && (version & 0xe0) === 0xe0 && ((version >> 1) & 3) === 1;
  const bitrate = (divisor === 1 ? MP3_BITRATES.one : MP3_BITRATES.two)[rates >> 4] ?? 0;
  const rate = (MP3_RATES[(rates >> 2) & 3] ?? 0) / divisor;
  if (!isLayer3 || divisor === 0 || bitrate === 0 || rate === 0) return null;
  const samples = divisor === 1 ? 1152 : 576;
  const size = Math.floor((samples / 8) * ((bitrate * 1000) / rate)) + ((rates >> 1) & 1);
  return { size, seconds: samples / rate };
}

/** Opus positions count samples at 48 kHz, whatever the sample rate of the input (RFC 7845). */
const OPUS_RATE = 48_000;
const OGG_HEADER_BYTES = 27;

/** Ogg (RFC 3533): the first page names the codec, and the position of the last page gives the duration. */
const readOgg: ContainerReader = (bytes) => {
  let page = oggPageAt(bytes, 0);
  if (page === null) return null;
  const head = bytes.subarray(page.content, page.end);
  let last = page.granule;
  for (let next = oggPageAt(bytes, page.end); next !== null; next = oggPageAt(bytes, page.end)) {
    page = next;
    // A page on which no packet ends has the position -1.
    if (next.granule >= 0n) last = next.granule;
  }
  if (head.toString('latin1', 0, 8) === 'OpusHead' && head.length >= 12) {
    const seconds = (Number(last) - head.readUInt16LE(10)) / OPUS_RATE;
    return { format: 'ogg-opus', seconds: Math.max(0, seconds) };
  }
  if (head.toString('latin1', 1, 7) === 'vorbis' && head.length >= 16) {
    const rate = head.readUInt32LE(12);
    return { format: 'ogg', seconds: rate === 0 ? null : Math.max(0, Number(last) / rate) };
  }
  return { format: head.toString('latin1', 1, 5) === 'FLAC' ? 'ogg-flac' : 'ogg', seconds: null };
};

interface OggPage {
  readonly granule: bigint;
  readonly content: number;
  readonly end: number;
}

function oggPageAt(bytes: Buffer, at: number): OggPage | null {
  if (at + OGG_HEADER_BYTES > bytes.length || bytes.toString('latin1', at, at + 4) !== 'OggS') return null;
  const content = at + OGG_HEADER_BYTES + (bytes[at + OGG_HEADER_BYTES - 1] ?? 0);
  if (content > bytes.length) return null;
  const size = bytes.subarray(at + OGG_HEADER_BYTES, content).reduce((sum, lacing) => sum + lacing, 0);
  return { granule: bytes.readBigInt64LE(at + 6), content, end: Math.min(content + size, bytes.length) };
}

/** The size or duration, all bits set, that a writer states if it does not know it yet. */
const UNKNOWN_LENGTH = 0xffff_ffff;
/** The value of 64 set bits as a number, which is rounded. */
const UNKNOWN_LONG_LENGTH = 2 ** 64;

/** RIFF WAVE: the `fmt ` chunk contains the bytes per second, the `data` chunk the samples. */
const readWav: ContainerReader = (bytes) => {
  const kind = bytes.toString('latin1', 0, 4);
  if ((kind !== 'RIFF' && kind !== 'RF64') || bytes.toString('latin1', 8, 12) !== 'WAVE') return null;
  let bytesPerSecond = 0;
  let at = 12;
  while (at + 8 <= bytes.length) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const content = at + 8;
    if (name === 'fmt ' && content + 12 <= bytes.length) bytesPerSecond = bytes.readUInt32LE(content + 8);
    if (name === 'data') {
      const available = bytes.length - content;
      const length = size === UNKNOWN_LENGTH || size === 0 ? available : Math.min(size, available);
      return { format: 'wav', seconds: bytesPerSecond === 0 ? null : length / bytesPerSecond };
    }
    at = content + size + (size % 2);
  }
  return { format: 'wav', seconds: null };
};

/** ISO base media (mp4, m4a): the movie header box (`mvhd`), version 0 or 1, contains the duration. */
const readMp4: ContainerReader = (bytes) => {
  if (bytes.toString('latin1', 4, 8) !== 'ftyp') return null;
  const at = bytes.indexOf('mvhd', 0, 'latin1');
  const isLong = bytes[at + 4] === 1;
  if (at === -1 || at + (isLong ? 36 : 24) > bytes.length) return { format: 'mp4', seconds: null };
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  const length = isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20);
  const isUnknown = [0, isLong ? UNKNOWN_LONG_LENGTH : UNKNOWN_LENGTH].includes(length);
  return { format: 'mp4', seconds: scale === 0 || isUnknown ? null : length / scale };
};

/** Matroska and WebM, recognised by the EBML signature. The duration is not read. */
const readWebm: ContainerReader = (bytes) =>
  bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3 ? { format: 'webm', seconds: null } : null;

/** Containers with a signature come first; formats that are found by scanning for frames come last. */
const READERS: readonly ContainerReader[] = [
  readWav,
  readFlac,
  readOgg,
  readMp4,
  readWebm,
  readAdts,
  readMp3,
];

export function readAudio(content: Uint8Array): AudioInfo | null {
  const all = bufferOn(content);
  const bytes = all.subarray(afterId3Tag(all));
  for (const read of READERS) {
    const audio = read(bytes);
    if (audio !== null) return audio;
  }
  return null;
}
