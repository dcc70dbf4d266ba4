import { adts } from './adts.ts';
import type { Audio, Reader } from './audio.ts';
import { mp4, webm } from './boxes.ts';
import { flac } from './flac.ts';
import { mp3 } from './mp3.ts';
import { ogg } from './ogg.ts';
import { wav } from './wav.ts';

/** Those with a name at their beginning come first; frames are looked for last. */
const readers: readonly Reader[] = [wav, flac, ogg, mp4, webm, adts, mp3];

/** Reads audio in any container that is asked for or taken; null where it is none of them. */
export function readAudio(content: Uint8Array): Audio | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (const read of readers) {
    const audio = read(bytes);
    if (audio !== null) return audio;
  }
  return null;
}
