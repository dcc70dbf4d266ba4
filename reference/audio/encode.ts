import { createHash } from 'node:crypto';
import { clipFrames, framesFor, opusPacketTime } from './clips.ts';
import { encodeFlac } from './flac.ts';
import { oggOpus } from './ogg-opus.ts';
import { speakingTime, synthesize, toPcm16 } from './synthesize.ts';

/** Formats of speech (2 Speech). */
export type SpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

/** Content types of the formats. */
export const mediaTypes: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** Customary for raw samples: 24 kHz, mono, 16 bits, little-endian. */
const customaryRate = 24_000;

/** A text to speak. */
interface Speech {
  readonly text: string;
  readonly voice: string;
  /** 1 is the usual speed, 2 takes half the time. */
  readonly speed: number;
}

/**
 * A spoken text as an audio file; the same text, voice, speed and format give the same bytes. wav, pcm and flac are computed,
 * the others are put together from frames of a recorded clip, as many as the text takes time.
 */
export async function encodeSpeech(speech: Speech, format: SpeechFormat): Promise<Uint8Array> {
  const { text, voice, speed } = speech;
  if (format === 'mp3' || format === 'aac') {
    const frames = framesFor(await clipFrames(voice, format), speakingTime(text, speed));
    return format === 'aac'
      ? marked(frames, digestOf(speech))
      : Buffer.concat([id3(markOf(speech)), ...frames]);
  }
  if (format === 'opus') return encodeOpus(speech);
  const samples = toPcm16(synthesize(text, voice, speed, customaryRate));
  if (format === 'flac') return encodeFlac(samples, customaryRate, markOf(speech));
  return format === 'pcm' ? samples : Buffer.concat([waveHead(samples.length), samples]);
}

/** Speech as Ogg Opus at 48 kHz. */
async function encodeOpus(speech: Speech): Promise<Uint8Array> {
  const clip = await clipFrames(speech.voice, 'opus');
  const seconds = speakingTime(speech.text, speech.speed);
  // Decoders drop the first 80 ms, so four packets more than the samples fill are needed.
  const frames = framesFor(clip, seconds + 4 * opusPacketTime);
  return oggOpus(frames, Math.round(seconds * 48_000), markOf(speech));
}

/** A comment with the digest of the request, so that files with the same frames differ. */
function markOf(speech: Speech): string {
  return `SPEECH=${digestOf(speech).toString('hex')}`;
}

/** SHA-256 of text, voice and speed. */
function digestOf({ text, voice, speed }: Speech): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([text, voice, speed]))
    .digest();
}

/** Writes the digest into the buffer fullness of ADTS headers, 11 bits that decoders ignore: ADTS has no comments. */
function marked(frames: readonly Uint8Array[], digest: Buffer): Buffer {
  return Buffer.concat(
    frames.map((frame, n) => {
      const bytes = Buffer.from(frame);
      const fullness = digest.readUInt16BE((n * 2) % digest.length) & 0x7ff;
      bytes[5] = ((bytes[5] ?? 0) & 0xe0) | (fullness >> 6);
      bytes[6] = ((bytes[6] ?? 0) & 0x03) | ((fullness & 0x3f) << 2);
      return bytes;
    }),
  );
}

/** An ID3v2.3 tag with one comment, in Latin-1. */
function id3(comment: string): Buffer {
  const content = Buffer.from(`\u0000eng\u0000${comment}`, 'latin1');
  const frame = Buffer.alloc(10);
  frame.write('COMM', 'latin1');
  frame.writeUInt32BE(content.length, 4);
  const size = frame.length + content.length;
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, size >> 7, size & 0x7f]);
  return Buffer.concat([head, frame, content]);
}

/** The head of a WAVE file of 16-bit mono samples, `size` bytes in all. */
function waveHead(size: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + size, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(customaryRate, 24);
  head.writeUInt32LE(customaryRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(size, 40);
  return head;
}
