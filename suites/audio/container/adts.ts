import { type AudioFrame, afterId3Tag, type ContainerReader, secondsOfFrames } from './audio.ts';

const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

/**
 * AAC in ADTS (ISO/IEC 13818-7): frames of 1024 samples per block, each with its own header. Null where the
 * bytes are not a run of such frames.
 */
export const readAdts: ContainerReader = (bytes) => {
  const seconds = secondsOfFrames(bytes, afterId3Tag(bytes), frameAt);
  return seconds === null ? null : { format: 'aac', seconds };
};

function frameAt(bytes: Buffer, at: number): AudioFrame | null {
  if (at + 7 > bytes.length) return null;
  const [sync = 0, kind = 0, rates = 0, a = 0, b = 0, c = 0, blocks = 0] = bytes.subarray(at, at + 7);
  const size = ((a & 3) << 11) | (b << 3) | (c >> 5);
  const rate = RATES[(rates >> 2) & 15];
  if (sync !== 0xff || (kind & 0xf6) !== 0xf0 || rate === undefined || size < 7) return null;
  return { size, seconds: (1024 * ((blocks & 3) + 1)) / rate };
}
