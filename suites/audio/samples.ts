import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { getOrMake } from '../../schemas/maps.ts';
import type { FileValue } from '../generate/requests.ts';
import { wavFile } from '../generate/sample-files.ts';

/** Enough distinct words to recognise a transcription, few enough to be cheap. */
export const SPEECH_TEXT = 'The quick brown fox jumps over the lazy dog near the river bank.';

/** Recordings of one second by extension: the extension of the file with the bytes, and the media type. */
const CONTAINERS = {
  flac: ['flac', 'audio/flac'],
  mp3: ['mp3', 'audio/mpeg'],
  mp4: ['m4a', 'audio/mp4'],
  mpeg: ['mp3', 'audio/mpeg'],
  mpga: ['mp3', 'audio/mpeg'],
  m4a: ['m4a', 'audio/mp4'],
  ogg: ['ogg', 'audio/ogg'],
  wav: ['wav', 'audio/wav'],
  webm: ['webm', 'audio/webm'],
} as const;

export type AudioExtension = keyof typeof CONTAINERS;

export const AUDIO_EXTENSIONS = Object.keys(CONTAINERS) as readonly AudioExtension[]; // as: its own keys

const { resolve } = createRequire(import.meta.url);
const knownRecordings = new Map<string, Uint8Array>();

export function toneRecording(extension: AudioExtension): FileValue {
  if (extension === 'wav') return wavFile('tone.wav', 1);
  const [file, type] = CONTAINERS[extension];
  const path = `#suites/audio/recordings/tone.${file}`;
  const bytes = getOrMake(knownRecordings, file, () => readFileSync(resolve(path)));
  return { file: bytes, filename: `tone.${extension}`, type };
}
