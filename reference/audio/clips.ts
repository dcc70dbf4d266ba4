import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { voices } from './synthesize.ts';

/** Formats whose encoders are too large a dependency: about a second of each voice is stored as a file instead. */
export type ClipFormat = 'mp3' | 'aac' | 'opus';

/** Frames of compressed audio that can be decoded one after the other, and how many seconds each lasts. */
export interface Clip {
  readonly frames: readonly Uint8Array[];
  readonly frameTime: number;
}

/** Duration of an Opus packet in seconds. */
export const opusPacketTime = 0.02;

/** How the files that `scripts/data/make-clips.ts` writes are cut into frames. */
const layouts = {
  mp3: { ending: 'mp3', frameTime: 0.024, sizeAt: () => 144 },
  opus: { ending: 'opus-packets', frameTime: opusPacketTime, sizeAt: () => 80 },
  aac: { ending: 'aac', frameTime: 1024 / 24_000, sizeAt: adtsSize },
} as const;

const { resolve } = createRequire(import.meta.url);
const loaded = new Map<string, Promise<Clip>>();

/** The clip of a voice; an unknown voice has the clip of the first one. */
export function clipFrames(voice: string, format: ClipFormat): Promise<Clip> {
  const name = voices.includes(voice) ? voice : (voices[0] ?? '');
  const key = `${name}.${layouts[format].ending}`;
  const clip = loaded.get(key) ?? load(key, format);
  loaded.set(key, clip);
  return clip;
}

/** Frames of a clip, repeated from its start, that last for `seconds`; at least one. */
export function framesFor({ frames, frameTime }: Clip, seconds: number): Uint8Array[] {
  // The quotient of two decimals may lie a little above the whole number that it should be.
  const count = Math.max(1, Math.ceil(seconds / frameTime - 1e-9));
  return Array.from({ length: count }, (_, n) => frames[n % frames.length] ?? new Uint8Array());
}

/** Reads a clip and cuts it into frames. */
async function load(name: string, format: ClipFormat): Promise<Clip> {
  const bytes = await readFile(resolve(`#reference/audio/clips/${name}`));
  const { frameTime, sizeAt } = layouts[format];
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = sizeAt(bytes, at);
    frames.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { frames, frameTime };
}

/** The length of an ADTS frame, in bytes, its header included. */
function adtsSize(bytes: Buffer, at: number): number {
  return (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
}
