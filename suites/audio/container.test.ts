import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeSpeech } from '../../reference/audio/speech.ts';
import { wavFile } from '../generate/sample-files.ts';
import { readAudio } from './container.ts';

const { resolve } = createRequire(import.meta.url);
const readRecording = (ending: string): Uint8Array =>
  readFileSync(resolve(`#suites/audio/recordings/tone.${ending}`));

// The tone takes one second; MP3 and AAC encoders pad it.
test.each([
  ['mp3', 'mp3', 1.12],
  ['m4a', 'mp4', 1.09],
  ['flac', 'flac', 1],
  ['ogg', 'ogg-opus', 1],
  ['webm', 'webm', null],
])('the recording tone.%s is read as %s, duration in seconds: %s', (ending, format, seconds) => {
  const audio = readAudio(readRecording(ending));
  expect(audio?.format).toBe(format);
  if (seconds === null) expect(audio?.seconds).toBeNull();
  else expect(audio?.seconds).toBeCloseTo(seconds, 2);
});

test('a wave file of 1.5 seconds has that duration', () => {
  expect(readAudio(wavFile('tone.wav', 1.5).file)).toEqual({ format: 'wav', seconds: 1.5 });
});

test.each([
  ['mp3', 'mp3'],
  ['opus', 'ogg-opus'],
  ['aac', 'aac'],
  ['flac', 'flac'],
  ['wav', 'wav'],
] as const)('speech that is encoded as %s is read as %s, with its duration', async (encoding, format) => {
  const audio = readAudio(
    await encodeSpeech({ text: 'one two three four five six seven', voice: 'alloy', speed: 0.5 }, encoding),
  );
  expect(audio?.format).toBe(format);
  expect(audio?.seconds).toBeGreaterThan(0.6);
  expect(audio?.seconds).toBeLessThan(0.9);
});

test('bare samples have no container', async () => {
  expect(readAudio(await encodeSpeech({ text: 'one two', voice: 'alloy', speed: 1 }, 'pcm'))).toBeNull();
});

test.each(['mp3', 'm4a', 'flac', 'ogg', 'webm'])(
  'a long tag before the recording tone.%s changes neither format nor duration',
  (ending) => {
    // The size is written with seven bits per byte: 64 * 128.
    const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x40\0', 'latin1'), Buffer.alloc(8192)]);
    const recording = readRecording(ending);
    expect(readAudio(Buffer.concat([tag, recording]))).toEqual(readAudio(recording));
  },
);

test('an MP4 file whose duration has all bits set has an unknown duration', () => {
  const file = Buffer.from(readRecording('m4a'));
  file.writeUInt32BE(0xffff_ffff, file.indexOf('mvhd') + 20);
  expect(readAudio(file)).toEqual({ format: 'mp4', seconds: null });
});

test('joined recordings with tags have the sum of their durations', () => {
  const tag = Buffer.concat([Buffer.from('TAG', 'latin1'), Buffer.alloc(125)]);
  const one = readRecording('mp3');
  const both = Buffer.concat([one, tag, one, tag]);
  expect(readAudio(both)?.seconds).toBeCloseTo(2 * (readAudio(one)?.seconds ?? 0), 3);
});

test.each([
  ['the duration', 44_100, 88_200n, 2],
  ['no duration without a sample rate', 0, 88_200n, null],
  ['the duration 0 if no packet ends', 44_100, -1n, 0],
])('Ogg with Vorbis has %s', (_, rate, granule, seconds) => {
  const head = Buffer.alloc(30);
  head.write('\u0001vorbis', 'latin1');
  head.writeUInt32LE(rate, 12);
  const page = Buffer.alloc(28);
  page.write('OggS', 'latin1');
  page.writeBigInt64LE(granule, 6);
  page.set([1, head.length], 26);
  expect(readAudio(Buffer.concat([page, head]))).toEqual({ format: 'ogg', seconds });
});

test('reading never throws for random bytes, even after a signature', () => {
  const signature = fc.constantFrom(
    '',
    'ID3',
    'fLaC',
    'OggS',
    'RIFF\0\0\0\0WAVE',
    'RIFF\0\0\0\0WAVEdata',
    '\0\0\0\0ftypmvhd',
    '\xff\xfb',
    '\x1a\x45\xdf\xa3',
  );
  fc.assert(
    fc.property(
      signature,
      fc.uint8Array({ maxLength: 200 }),
      (head, bytes) => void readAudio(Buffer.concat([Buffer.from(head, 'latin1'), bytes])),
    ),
  );
});

test('reading never throws for a recording that is cut off anywhere', () => {
  const recordings = ['mp3', 'm4a', 'flac', 'ogg', 'webm'].map(readRecording);
  const truncated = fc
    .constantFrom(...recordings)
    .chain((recording) => fc.nat(recording.length).map((size) => recording.subarray(0, size)));
  fc.assert(fc.property(truncated, (bytes) => void readAudio(bytes)));
});
