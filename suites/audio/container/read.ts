import { readAdts } from './adts.ts';
import type { AudioInfo, ContainerReader } from './audio.ts';
import { readMp4, readWebm } from './boxes.ts';
import { readFlac } from './flac.ts';
import { readMp3 } from './mp3.ts';
import { readOgg } from './ogg.ts';
import { readWav } from './wav.ts';

/** Containers with a signature come first; formats that are found by scanning for frames come last. */
const readers: readonly ContainerReader[] = [
  readWav,
  readFlac,
  readOgg,
  readMp4,
  readWebm,
  readAdts,
  readMp3,
];

/**
 * Reads the container and the duration of audio in any format that requests or responses may have; null
 * where it is another format.
 */
export function readAudio(content: Uint8Array): AudioInfo | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (const read of readers) {
    const audio = read(bytes);
    if (audio !== null) return audio;
  }
  return null;
}
