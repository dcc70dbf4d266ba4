import { hashText } from '../state/ids.ts';

/** Seconds of one character at speed 1, and of the shortest speech. */
const perCharacter = 0.01;
const shortest = 0.2;

/** Lowest tone of each voice in hertz. */
const pitches: Readonly<Record<string, number>> = {
  alloy: 180,
  echo: 120,
  fable: 150,
  onyx: 90,
  nova: 210,
  shimmer: 240,
};

/** Every voice that a speech may have. */
export const voices: readonly string[] = Object.keys(pitches);

/** Duration of a spoken text in seconds. */
export function speakingTime(text: string, speed: number): number {
  return Math.max(shortest, [...text].length * perCharacter) / speed;
}

/** A text as mono samples in [-1, 1]: each word is a tone, and each voice has its own range. */
export function synthesize(text: string, voice: string, speed: number, sampleRate: number): Float32Array {
  const samples = new Float32Array(Math.round(speakingTime(text, speed) * sampleRate));
  const lowest = pitches[voice] ?? 180;
  const tones = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => lowest * (1 + (hashText(word) % 12) / 12));
  const perWord = samples.length / Math.max(1, tones.length);
  for (let at = 0; at < samples.length; at += 1) {
    const hertz = tones[Math.floor(at / perWord)] ?? lowest;
    const within = (at % perWord) / perWord;
    // Each word swells and fades, so that tones do not click where they meet.
    samples[at] = 0.3 * Math.sin(Math.PI * within) * Math.sin((2 * Math.PI * hertz * at) / sampleRate);
  }
  return samples;
}

/** Samples as 16-bit little-endian integers. */
export function toPcm16(samples: Float32Array): Buffer {
  const pcm = Buffer.alloc(samples.length * 2);
  for (const [at, sample] of samples.entries()) pcm.writeInt16LE(Math.round(sample * 32_767), at * 2);
  return pcm;
}
