// Writes the audio that needs an encoder: in reference/audio/clips/ a second of each voice as mp3, AAC and Opus, from
// which the reference assembles its speech, and in suites/audio/recordings/ a second of a tone in each container. Run
// it only to add a voice or a container, because newer encoders write other bytes. With an argument, it writes only the
// files whose paths begin with it.
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
import { synthesize, toPcm16, voices } from '../../reference/audio/speech.ts';

const CLIPS = 'reference/audio/clips';
const RECORDINGS = 'suites/audio/recordings';
/** Request of libopus that turns the variable bit rate on or off. */
const OPUS_SET_VBR = 4006;
/** Samples of an Opus packet: 20 ms at 48 kHz. */
const PACKET_SAMPLES = 960;
/** 138 characters of ten milliseconds each: longer than a clip. */
const TEXT = 'every word of the clip is a separate tone and each one lasts a moment'.repeat(2);

registerAacEncoder();
registerFlacEncoder();
registerMp3Encoder();
for (const folder of [CLIPS, RECORDINGS]) mkdirSync(folder, { recursive: true });
const mp3 = await createMp3Encoder();
for (const voice of voices) {
  const samples = synthesize(TEXT, voice, 1, 24_000);
  write(`${CLIPS}/${voice}.mp3`, encodeMp3(samples));
  const clip = { samples: samples.slice(0, 24 * 1024), rate: 24_000 };
  write(`${CLIPS}/${voice}.aac`, await encode(clip, new AdtsOutputFormat(), 'aac', 32_000));
  // 50 packets of 20 ms and 80 bytes: mono at 48 kHz, without a container. The reader splits the file at their size.
  const opus = encodeOpus(synthesize(TEXT, voice, 1, 48_000), 50, 'AUDIO', 32_000);
  write(`${CLIPS}/${voice}.opus-packets`, Buffer.concat(opus));
}
write(`${RECORDINGS}/tone.mp3`, await encode(tone(16_000), new Mp3OutputFormat(), 'mp3', 24_000));
write(`${RECORDINGS}/tone.m4a`, await encode(tone(16_000), new Mp4OutputFormat(), 'aac', 24_000));
write(`${RECORDINGS}/tone.flac`, await encode(tone(8_000), new FlacOutputFormat(), 'flac', 24_000));
// The tone is encoded once, so that both containers hold the same packets.
const packets = encodeOpus(tone(48_000).samples, 54, 'VOIP', 16_000);
write(`${RECORDINGS}/tone.ogg`, encodeOggOpus(packets, 48_000));
write(`${RECORDINGS}/tone.webm`, await encodeWebM(packets));

interface Sound {
  readonly samples: Float32Array<ArrayBuffer>;
  /** Samples per second. */
  readonly rate: number;
}

/** A second of a tone that fades in and out, so that it does not sound like a click. */
function tone(rate: number): Sound {
  const sampleAt = (i: number): number =>
    0.3 * Math.sin((Math.PI * i) / rate) * Math.sin((2 * Math.PI * 440 * i) / rate);
  return { samples: Float32Array.from({ length: rate }, (_, i) => sampleAt(i)), rate };
}

/** 42 frames of 24 ms and 144 bytes: MPEG 2 layer III, 24 kHz, mono, 48 kbit/s. */
function encodeMp3(samples: Float32Array): Buffer {
  mp3.configure({ sampleRate: 24_000, channels: 1, bitrate: 48 });
  const bytes = Buffer.concat([Buffer.from(mp3.encode([samples])), Buffer.from(mp3.finalize())]);
  // Drops the rest of the speech, and the frames that flush the encoder.
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

/** Encodes `count` packets of 20 ms: mono at 48 kHz, with a constant bit rate for `AUDIO`. */
function encodeOpus(
  samples: Float32Array,
  count: number,
  application: 'AUDIO' | 'VOIP',
  bitrate: number,
): Uint8Array[] {
  const encoder = new OpusEncoder(48_000, 1, OpusEncoder.Application[application]);
  encoder.setBitrate(bitrate);
  if (application === 'AUDIO') encoder.encoderCTL(OPUS_SET_VBR, 0);
  const packetBytes = 2 * PACKET_SAMPLES;
  // Silence fills up the packets after the samples.
  const pcm = Buffer.concat([toPcm16(samples), Buffer.alloc(count * packetBytes)]);
  const packets = Array.from({ length: count }, (_, n) =>
    Buffer.from(encoder.encode(pcm.subarray(n * packetBytes, (n + 1) * packetBytes), PACKET_SAMPLES)),
  );
  encoder.delete();
  return packets;
}

/** Wraps Opus packets in WebM; the codec data is the identification header of RFC 7845. */
function encodeWebM(packets: readonly Uint8Array[]): Promise<Uint8Array> {
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

/** Writes a file and prints its size, unless the argument of the script excludes it. */
function write(path: string, bytes: Uint8Array): void {
  if (!path.startsWith(process.argv[2] ?? '')) return;
  writeFileSync(path, bytes);
  console.log(`${path}: ${bytes.length} bytes`);
}
