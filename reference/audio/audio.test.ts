import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import OpusDecoder from 'opusscript';
import { describe, expect, test } from 'vitest';
import { serveReference } from '../service.ts';
import { encodeFlac } from './containers.ts';
import { audioSeconds } from './duration.ts';
import { encodeSpeech, type SpeechFormat, synthesize, toPcm16, voices } from './speech.ts';
import { formatSubRip, formatWebVtt, transcribe } from './transcript.ts';

const { resolve } = createRequire(import.meta.url);
const sentence = 'The quick brown fox jumps over the lazy dog near the river bank.';
/** At a hundredth of a second per character, the sentence takes 0.64 s at speed 1. */
const SENTENCE_SECONDS = 0.64;
const speech = { text: sentence, voice: 'alloy', speed: 1 } as const;
const CONTAINER_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav'] as const;

async function readIndependently(bytes: Uint8Array) {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw new Error('no audio track');
  const packets: Uint8Array[] = [];
  for await (const { data } of new EncodedPacketSink(track).packets()) packets.push(data);
  return { codec: track.codec, rate: track.sampleRate, seconds: await track.computeDuration(), packets };
}

describe('speech', () => {
  test.each([
    ['mp3', 'mp3', 24_000],
    ['opus', 'opus', 48_000],
    ['aac', 'aac', 24_000],
    ['flac', 'flac', 24_000],
    ['wav', 'pcm-s16', 24_000],
  ] as const)(
    'as %s is recognised by an independent reader, with a duration that fits the text',
    async (format, codec, rate) => {
      for (const speed of [0.25, 0.5, 1, 2, 4]) {
        const read = await readIndependently(await encodeSpeech({ ...speech, speed }, format));
        expect(read).toMatchObject({ codec, rate });
        expect(read.seconds).toBeGreaterThan(SENTENCE_SECONDS / speed - 0.001);
        expect(read.seconds).toBeLessThan(SENTENCE_SECONDS / speed + 0.05);
      }
    },
  );

  test.each(CONTAINER_FORMATS)(
    'as %s is shorter at twice the speed, even for a short text',
    async (format) => {
      for (const speed of [0.25, 0.5, 1, 2]) {
        const seconds = async (factor: number): Promise<number> =>
          (
            await readIndependently(
              await encodeSpeech({ text: 'Hi', voice: 'nova', speed: speed * factor }, format),
            )
          ).seconds;
        expect(await seconds(2)).toBeLessThan(await seconds(1));
      }
    },
  );

  test.each(CONTAINER_FORMATS.filter((format) => format !== 'wav'))(
    'as %s is a different file for each text, voice and speed, and the same for equal ones',
    async (format) => {
      const speeches = ['a', 'b'].flatMap((text) =>
        voices.flatMap((voice) => [1, 1.001].map((speed) => ({ text, voice, speed }))),
      );
      const files = await Promise.all(
        speeches.map(async (one) => Buffer.from(await encodeSpeech(one, format)).toString('base64')),
      );
      expect(new Set(files).size).toBe(speeches.length);
      expect(
        Buffer.from(await encodeSpeech({ text: 'a', voice: 'alloy', speed: 1 }, format)).toString('base64'),
      ).toBe(files[0]);
    },
  );

  test('as flac contains exactly the samples of pcm', async () => {
    const { packets } = await readIndependently(await encodeSpeech({ ...speech, speed: 0.25 }, 'flac'));
    const pcm = Buffer.from(await encodeSpeech({ ...speech, speed: 0.25 }, 'pcm'));
    // Head of a frame: 4 bytes, its number (one byte below 128), its size, a checksum; then one byte of the subframe.
    const samples = packets.map((frame) => Buffer.from(frame).subarray(9, -2).swap16());
    expect(Buffer.concat(samples).equals(pcm)).toBe(true);
    expect(pcm.equals(toPcm16(synthesize(sentence, 'alloy', 0.25, 24_000)))).toBe(true);
  });

  test('as opus can be decoded to sound', async () => {
    const { packets } = await readIndependently(await encodeSpeech(speech, 'opus'));
    const decoder = new OpusDecoder(48_000, 1, OpusDecoder.Application.AUDIO);
    const loudest = packets.map((packet) => {
      const pcm = Buffer.from(decoder.decode(Buffer.from(packet)));
      expect(pcm.length).toBe(960 * 2);
      return Math.max(...Array.from({ length: 960 }, (_, n) => Math.abs(pcm.readInt16LE(n * 2))));
    });
    decoder.delete();
    expect(Math.max(...loudest)).toBeGreaterThan(3_000);
  });
});

test('SubRip captions count the hours beyond 99', () => {
  expect(formatSubRip(transcribe(100 * 3600, 'one'))).toContain('--> 100:00:00,000');
});

test('WebVTT captions escape what would be markup', () => {
  expect(formatWebVtt(transcribe(1, 'a <b> & c --> d'))).toContain('\na &lt;b&gt; &amp; c --&gt; d\n');
});

test('a translation ignores `timestamp_granularities[]`', async () => {
  const { url, close } = await serveReference();
  try {
    const form = new FormData();
    form.set('file', new File([Uint8Array.from(await encodeSpeech(speech, 'wav'))], 'a.wav'));
    form.set('model', 'transcribe-1');
    form.set('response_format', 'verbose_json');
    form.set('timestamp_granularities[]', 'word');
    const response = await fetch(`${url}/audio/translations`, { method: 'POST', body: form });
    const translation = await response.json();
    expect(translation).toMatchObject({ task: 'translate', segments: expect.any(Array) });
    expect(translation).not.toHaveProperty('words');
  } finally {
    await close();
  }
});

describe('the length of a recording', () => {
  const recordings = ['mp3', 'm4a', 'flac', 'ogg', 'webm'].map((ending) => ({
    ending,
    bytes: readFileSync(resolve(`#suites/audio/recordings/tone.${ending}`)),
  }));

  function createMp4OfUnknownLength(): Buffer {
    const bytes = Buffer.from(recordings[1]?.bytes ?? []);
    return bytes.fill(0xff, bytes.indexOf('mvhd') + 20, bytes.indexOf('mvhd') + 24);
  }

  test.each(recordings)('is what an independent reader finds: $ending', async ({ bytes }) => {
    expect(audioSeconds(bytes)).toBeCloseTo((await readIndependently(bytes)).seconds, 1);
  });

  test.each(['mp3', 'opus', 'flac', 'wav'] as const)(
    'is what an independent reader finds in synthesized speech: %s',
    async (format: SpeechFormat) => {
      const bytes = Buffer.from(await encodeSpeech(speech, format));
      expect(audioSeconds(bytes)).toBeCloseTo((await readIndependently(bytes)).seconds, 3);
    },
  );

  test('is the time of the last block of a WebM recording that does not state it', () => {
    const bytes = Buffer.from(recordings.find(({ ending }) => ending === 'webm')?.bytes ?? []);
    // The element Duration, 4489, gets an unknown id.
    bytes.writeUInt16BE(0x4488, bytes.indexOf(Buffer.from([0x44, 0x89, 0x88])));
    expect(audioSeconds(bytes)).toBeCloseTo(1.06, 2);
  });

  test('is found in a FLAC file of a single sample', () => {
    expect(audioSeconds(encodeFlac(Buffer.alloc(2), 'SPEECH='))).toBe(1 / 24_000);
  });

  test.each(recordings)('is the same after an ID3 tag: $ending', ({ bytes }) => {
    const tag = Buffer.from('ID3\x03\0\0\0\0\0\x04tag:', 'latin1');
    expect(audioSeconds(Buffer.concat([tag, bytes]))).toBe(audioSeconds(bytes));
  });

  test.each([
    ['text', Buffer.from('no audio at all'), 'its format is not supported'],
    ['nothing', Buffer.alloc(0), 'its format is not supported'],
    [
      'a FLAC file cut before its first frame',
      recordings[2]?.bytes.subarray(0, 42),
      'it ends before its first frame',
    ],
    ['an MP4 file without its movie', recordings[1]?.bytes.subarray(0, 40), 'it has no movie header'],
    ['an MP4 file of unknown length', createMp4OfUnknownLength(), 'or does not state its length'],
    ['a WAVE file without samples', Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'it has no chunk of samples'],
  ])('cannot be read, with a reason: %s', (_, bytes, reason) => {
    expect(() => audioSeconds(Buffer.from(bytes ?? []))).toThrow(reason);
  });

  test('is a positive number or an error if the recording is truncated and damaged', () => {
    const seconds = (bytes: Buffer): number => {
      try {
        return audioSeconds(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        expect(error).not.toBeInstanceOf(RangeError);
        return 1;
      }
    };
    const damaged = fc
      .tuple(
        fc.constantFrom(...recordings),
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
      )
      .map(([{ bytes }, end, changes]) => {
        const file = Buffer.from(bytes.subarray(0, 1 + (end % bytes.length)));
        for (const [at, byte] of changes) file[at % Math.min(file.length, 200)] = byte;
        return file;
      });
    fc.assert(
      fc.property(damaged, (file) => {
        expect(seconds(file)).toBeGreaterThan(0);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });
});
