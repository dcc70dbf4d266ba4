// Writes suites/audio/recordings/: one second of a tone in every container that is hard to write by hand.
// Run manually, and only when another container is needed, because encoders change.
import { mkdirSync, writeFileSync } from 'node:fs';
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { registerFlacEncoder } from '@mediabunny/flac-encoder';
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
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
import { oggOpus } from '../../reference/audio/containers.ts';

const FOLDER = 'suites/audio/recordings';

registerAacEncoder();
registerFlacEncoder();
registerMp3Encoder();
mkdirSync(FOLDER, { recursive: true });
await encoded('mp3', new Mp3OutputFormat(), 'mp3', 16_000);
await encoded('m4a', new Mp4OutputFormat(), 'aac', 16_000);
await encoded('flac', new FlacOutputFormat(), 'flac', 8_000);
// Encoded once, so that both containers have the same sound.
const packets = opus();
write('ogg', oggOpus(packets, 48_000));
await webm(packets);

/** A tone that swells and fades, so that it does not sound like a click. */
function tone(rate: number): Float32Array {
  const at = (i: number): number =>
    0.3 * Math.sin((Math.PI * i) / rate) * Math.sin((2 * Math.PI * 440 * i) / rate);
  return Float32Array.from({ length: rate }, (_, i) => at(i));
}

async function encoded(
  ending: string,
  format: OutputFormat,
  codec: 'mp3' | 'aac' | 'flac',
  rate: number,
): Promise<void> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new AudioSampleSource({ codec, bitrate: 24_000 });
  output.addAudioTrack(source);
  await output.start();
  const sample = new AudioSample({
    data: tone(rate),
    format: 'f32',
    numberOfChannels: 1,
    sampleRate: rate,
    timestamp: 0,
  });
  await source.add(sample);
  sample.close();
  await output.finalize();
  write(ending, new Uint8Array(target.buffer ?? new ArrayBuffer(0)));
}

/** Packets of 20 ms at 48 kHz. */
function opus(): Uint8Array[] {
  const encoder = new OpusEncoder(48_000, 1, OpusEncoder.Application.VOIP);
  encoder.setBitrate(16_000);
  const samples = tone(48_000);
  const pcm = Buffer.alloc(54 * 960 * 2);
  for (const [i, value] of samples.entries()) pcm.writeInt16LE(Math.round(value * 32_767), i * 2);
  const made = Array.from({ length: 54 }, (_, n) =>
    Buffer.from(encoder.encode(pcm.subarray(n * 1920, (n + 1) * 1920), 960)),
  );
  encoder.delete();
  return made;
}

/** Packets in WebM, with the header that RFC 7845 describes as codec data. */
async function webm(made: readonly Uint8Array[]): Promise<void> {
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  const description = Buffer.alloc(19);
  description.write('OpusHead');
  description[8] = 1;
  description[9] = 1;
  // Samples to skip at the start; 312 is customary for this encoder.
  description.writeUInt16LE(312, 10);
  description.writeUInt32LE(48_000, 12);
  const meta = { decoderConfig: { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, description } };
  for (const [n, data] of made.entries()) {
    await source.add(new EncodedPacket(data, 'key', n * 0.02, 0.02), n === 0 ? meta : undefined);
  }
  await output.finalize();
  write('webm', new Uint8Array(target.buffer ?? new ArrayBuffer(0)));
}

function write(ending: string, bytes: Uint8Array): void {
  writeFileSync(`${FOLDER}/tone.${ending}`, bytes);
  console.log(`${FOLDER}/tone.${ending}: ${bytes.length} bytes`);
}
