import { type AudioFrame, afterId3Tag, type ContainerReader, secondsOfFrames } from './audio.ts';

/** Kilobits per second by index: layer III of MPEG 1, and of MPEG 2 and 2.5. */
const BITRATES = {
  one: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  two: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const RATES = [44_100, 48_000, 32_000] as const;
/** Divisors of the sample rate by the two bits of the version: MPEG 2.5, reserved, MPEG 2, MPEG 1. */
const DIVISORS = [4, 0, 2, 1] as const;
const PADDING = 4096;

/** MPEG audio, layer III: frames that follow one another. Null where too few do. */
export const readMp3: ContainerReader = (bytes) => {
  const begin = afterId3Tag(bytes);
  // Some encoders write padding before the first frame.
  for (let at = begin; at < Math.min(begin + PADDING, bytes.length); at++) {
    const seconds = bytes[at] === 0xff ? secondsOfFrames(bytes, at, frameAt) : null;
    if (seconds !== null) return { format: 'mp3', seconds };
  }
  return null;
};

function frameAt(bytes: Buffer, at: number): AudioFrame | null {
  if (at + 4 > bytes.length) return null;
  const [sync = 0, version = 0, rates = 0] = bytes.subarray(at, at + 3);
  const divisor = DIVISORS[(version >> 3) & 3] ?? 0;
  const isLayer3 = sync === 0xff && (version & 0xe0) === 0xe0 && ((version >> 1) & 3) === 1;
  const bitrate = (divisor === 1 ? BITRATES.one : BITRATES.two)[rates >> 4] ?? 0;
  const rate = (RATES[(rates >> 2) & 3] ?? 0) / divisor;
  if (!isLayer3 || divisor === 0 || bitrate === 0 || rate === 0) return null;
  const samples = divisor === 1 ? 1152 : 576;
  const size = Math.floor((samples / 8) * ((bitrate * 1000) / rate)) + ((rates >> 1) & 1);
  return { size, seconds: samples / rate };
}
