// Writes the audio that is hard to compute: reference/audio/clips/, a second of each voice as mp3, AAC and Opus, from which the
// reference assembles its speech; and suites/audio/recordings/, one second of a tone in each container.
// Run manually, and only when a voice or a container is added, because encoders change; an argument selects the files to write by the
// beginning of their path.
import { mkdirSync, writeFileSync } from 'node:fs';
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { registerFlacEncoder } from '@mediabunny/flac-encoder';
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  AdtsOutputFormat,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  FlacOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import OpusEncoder from 'opusscript';
import { createMp3Encoder } from 'wasm-media-encoders';
import { encodeOggOpus } from '../../reference/audio/containers.ts';
import { synthesize, toPcm16, voices } from '../../reference/audio/encode.ts';

const CLIPS = 'reference/audio/clips';
const RECORDINGS = 'suites/audio/recordings';
/** 138 characters of ten milliseconds each, which is longer than a clip of one second. */
const TEXT = 'every word of the clip is a separate tone and each one lasts a moment'.repeat(2);

registerAacEncoder();
registerFlacEncoder();
registerMp3Encoder();
for (const folder of [CLIPS, RECORDINGS]) mkdirSync(folder, { recursive: true });
const mp3 = await createMp3Encoder();
for (const voice of voices) {
  const samples = synthesize(TEXT, voice, 1, 24_000);
  write(`${CLIPS}/${voice}.mp3`, encodeMp3(samples));
  const second = { samples: samples.slice(0, 24 * 1024), rate: 24_000 };
  write(`${CLIPS}/${voice}.aac`, await encode(second, new AdtsOutputFormat(), 'aac', 32_000));
  // 50 packets of 20 ms and 80 bytes: mono at 48 kHz, without a container. The reader cuts the file by size, so their size is
  // constant.
  const opus = encodeOpus(synthesize(TEXT, voice, 1, 48_000), 50, 'AUDIO', 32_000);
  write(`${CLIPS}/${voice}.opus-packets`, Buffer.concat(opus));
}
write(`${RECORDINGS}/tone.mp3`, await encode(tone(16_000), new Mp3OutputFormat(), 'mp3', 24_000));
write(`${RECORDINGS}/tone.m4a`, await encode(tone(16_000), new Mp4OutputFormat(), 'aac', 24_000));
write(`${RECORDINGS}/tone.flac`, await encode(tone(8_000), new FlacOutputFormat(), 'flac', 24_000));
// Encoded once, so that both containers have the same sound.
const packets = encodeOpus(tone(48_000).samples, 54, 'VOIP', 16_000);
write(`${RECORDINGS}/tone.ogg`, encodeOggOpus(packets, 48_000));
write(`${RECORDINGS}/tone.webm`, await webm(packets));

interface Sound {
  readonly samples: Float32Array<ArrayBuffer>;
  /** Samples per second. */
  readonly rate: number;
}

/** A second of a tone that fades in and out, so that it does not sound like a click. */
function tone(rate: number): Sound {
  const at = (i: number): number =>
    0.3 * Math.sin((Math.PI * i) / rate) * Math.sin((2 * Math.PI * 440 * i) / rate);
  return { samples: Float32Array.from({ length: rate }, (_, i) => at(i)), rate };
}

/** 42 frames of 24 ms and 144 bytes: MPEG 2 layer III, 24 kHz, mono, 48 kbit/s. */
function encodeMp3(samples: Float32Array): Buffer {
  mp3.configure({ sampleRate: 24_000, channels: 1, bitrate: 48 });
  const bytes = Buffer.concat([Buffer.from(mp3.encode([samples])), Buffer.from(mp3.finalize())]);
  // The encoder appends frames that flush its state; the clip ends with the last whole second.
  return bytes.subarray(0, 42 * 144);
}

async function encode(
  { samples, rate }: Sound,
  format: OutputFormat,
  codec: 'mp3' | 'aac' | 'flac',
  bitrate: number,
): Promise<Uint8Array> {
  const source = new AudioSampleSource({ codec, bitrate });
  return encodeFile(format, source, async () => {
    const shape = { format: 'f32', numberOfChannels: 1, sampleRate: rate, timestamp: 0 } as const; // as: a literal type
    const sample = new AudioSample({ data: samples, ...shape });
    await source.add(sample);
    sample.close();
  });
}

/** Packets of 20 ms: mono at 48 kHz, with a constant bit rate for music. */
function encodeOpus(
  samples: Float32Array,
  count: number,
  application: 'AUDIO' | 'VOIP',
  bitrate: number,
): Uint8Array[] {
  const encoder = new OpusEncoder(48_000, 1, OpusEncoder.Application[application]);
  encoder.setBitrate(bitrate);
  const variableRate = { request: 4006, value: 0 };
  if (application === 'AUDIO') encoder.encoderCTL(variableRate.request, variableRate.value);
  const pcm = Buffer.concat([toPcm16(samples), Buffer.alloc(count * 1920)]);
  const packets = Array.from({ length: count }, (_, n) =>
    Buffer.from(encoder.encode(pcm.subarray(n * 1920, (n + 1) * 1920), 960)),
  );
  encoder.delete();
  return packets;
}

/** Packets in WebM, with the header that RFC 7845 describes as codec data. */
function webm(packets: readonly Uint8Array[]): Promise<Uint8Array> {
  const description = Buffer.alloc(19);
  description.write('OpusHead');
  description[8] = 1;
  description[9] = 1;
  // Samples to skip at the start; 312 is customary for this encoder.
  description.writeUInt16LE(312, 10);
  description.writeUInt32LE(48_000, 12);
  const meta = { decoderConfig: { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, description } };
  const source = new EncodedAudioPacketSource('opus');
  return encodeFile(new WebMOutputFormat(), source, async () => {
    for (const [n, data] of packets.entries())
      await source.add(new EncodedPacket(data, 'key', n * 0.02, 0.02), n === 0 ? meta : undefined);
  });
}

/** Encodes a file with one audio track; `fill` adds the samples to `source`. */
async function encodeFile(
  format: OutputFormat,
  source: AudioSampleSource | EncodedAudioPacketSource,
  fill: () => Promise<void>,
): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  output.addAudioTrack(source);
  await output.start();
  await fill();
  await output.finalize();
  return new Uint8Array(target.buffer ?? new ArrayBuffer(0));
}

/** Writes a file and prints its size, which the comments above and the reader in reference/audio rely on. */
function write(path: string, bytes: Uint8Array): void {
  if (!path.startsWith(process.argv[2] ?? '')) return;
  writeFileSync(path, bytes);
  console.log(`${path}: ${bytes.length} bytes`);
}
