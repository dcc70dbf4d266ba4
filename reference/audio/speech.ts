import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { getOrMake } from '../../schemas/maps.ts';
import { hashText } from '../state/ids.ts';
import {
  encodeFlac,
  encodeId3,
  encodeOggOpus,
  encodeWaveHeader,
  markAdts,
  SAMPLE_RATE,
} from './containers.ts';

export type SpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

export const mediaTypes: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** At speed 1. */
const SECONDS_PER_CHARACTER = 0.01;
/** At speed 1, however short the text is. */
const MIN_SPEAKING_SECONDS = 0.2;

/** Lowest tone of each voice in hertz. */
const LOWEST_TONES = { alloy: 180, echo: 120, fable: 150, onyx: 90, nova: 210, shimmer: 240 } as const;

export type Voice = keyof typeof LOWEST_TONES;

export const voices = Object.keys(LOWEST_TONES) as readonly Voice[]; // as: it has no other keys

interface Speech {
  readonly text: string;
  readonly voice: Voice;
  readonly speed: number;
}

/** Equal input gives equal bytes. wav, pcm and flac are computed; other formats repeat frames of a recorded clip. */
export async function encodeSpeech(speech: Speech, format: SpeechFormat): Promise<Uint8Array> {
  const { text, voice, speed } = speech;
  if (format === 'mp3' || format === 'aac') {
    const frames = framesFor(await getClip(voice, format), speakingSeconds(text, speed));
    return format === 'aac'
      ? markAdts(frames, digestOf(speech))
      : Buffer.concat([encodeId3(commentOf(speech)), ...frames]);
  }
  if (format === 'opus') return encodeOpus(speech);
  const samples = toPcm16(synthesize(text, voice, speed, SAMPLE_RATE));
  if (format === 'flac') return encodeFlac(samples, commentOf(speech));
  return format === 'pcm' ? samples : Buffer.concat([encodeWaveHeader(samples.length), samples]);
}

async function encodeOpus(speech: Speech): Promise<Uint8Array> {
  const clip = await getClip(speech.voice, 'opus');
  const seconds = speakingSeconds(speech.text, speech.speed);
  // Decoders drop the first 80 ms, so the file needs four packets in addition to those of the speech.
  const frames = framesFor(clip, seconds + 4 * OPUS_PACKET_SECONDS);
  return encodeOggOpus(frames, Math.round(seconds * 48_000), commentOf(speech));
}

function commentOf(speech: Speech): string {
  return `SPEECH=${digestOf(speech).toString('hex')}`;
}

function digestOf({ text, voice, speed }: Speech): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([text, voice, speed]))
    .digest();
}

/** Formats whose encoders would be too large a dependency, so about a second of each voice is stored as a file. */
type ClipFormat = 'mp3' | 'aac' | 'opus';

interface Clip {
  readonly frames: readonly Uint8Array[];
  readonly frameSeconds: number;
}

const OPUS_PACKET_SECONDS = 0.02;
const CLIP_LAYOUTS = {
  mp3: { extension: 'mp3', frameSeconds: 0.024, sizeAt: () => 144 },
  opus: { extension: 'opus-packets', frameSeconds: OPUS_PACKET_SECONDS, sizeAt: () => 80 },
  aac: { extension: 'aac', frameSeconds: 1024 / 24_000, sizeAt: adtsSize },
} as const;

const { resolve } = createRequire(import.meta.url);
const clipsByName = new Map<string, Promise<Clip>>();

function getClip(voice: Voice, format: ClipFormat): Promise<Clip> {
  const name = `${voice}.${CLIP_LAYOUTS[format].extension}`;
  return getOrMake(clipsByName, name, () => loadClip(name, format));
}

/** Frames of a clip, repeated from its start, that last for at least `seconds`; at least one. */
function framesFor({ frames, frameSeconds }: Clip, seconds: number): Uint8Array[] {
  // Rounding errors may put the quotient slightly above a whole number.
  const count = Math.max(1, Math.ceil(seconds / frameSeconds - 1e-9));
  return Array.from({ length: count }, (_, n) => frames[n % frames.length] ?? new Uint8Array());
}

async function loadClip(name: string, format: ClipFormat): Promise<Clip> {
  const bytes = await readFile(resolve(`#reference/audio/clips/${name}`));
  const { frameSeconds, sizeAt } = CLIP_LAYOUTS[format];
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = sizeAt(bytes, at);
    frames.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { frames, frameSeconds };
}

function adtsSize(bytes: Buffer, at: number): number {
  return (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
}

function speakingSeconds(text: string, speed: number): number {
  return Math.max(MIN_SPEAKING_SECONDS, [...text].length * SECONDS_PER_CHARACTER) / speed;
}

/** A text as mono samples in [-1, 1]: each word is a tone, and each voice has its own range. */
export function synthesize(text: string, voice: Voice, speed: number, sampleRate: number): Float32Array {
  const samples = new Float32Array(Math.round(speakingSeconds(text, speed) * sampleRate));
  const lowest = LOWEST_TONES[voice];
  const tones = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => lowest * (1 + (hashText(word) % 12) / 12));
  const samplesPerWord = samples.length / Math.max(1, tones.length);
  for (let at = 0; at < samples.length; at += 1) {
    const hertz = tones[Math.floor(at / samplesPerWord)] ?? lowest;
    const progress = (at % samplesPerWord) / samplesPerWord;
    // Each word fades in and out, so that tones do not click where they meet.
    samples[at] = 0.3 * Math.sin(Math.PI * progress) * Math.sin((2 * Math.PI * hertz * at) / sampleRate);
  }
  return samples;
}

export function toPcm16(samples: Float32Array): Buffer {
  const pcm = Buffer.alloc(samples.length * 2);
  for (const [at, sample] of samples.entries()) pcm.writeInt16LE(Math.round(sample * 32_767), at * 2);
  return pcm;
}
