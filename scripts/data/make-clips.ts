// Writes reference/audio/clips/: a second of each voice as mp3, AAC and Opus, from which the reference assembles its speech.
// Run manually, and only when a voice is added, because encoders change.
import { mkdirSync, writeFileSync } from 'node:fs';
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { AdtsOutputFormat, AudioSample, AudioSampleSource, BufferTarget, Output } from 'mediabunny';
import OpusEncoder from 'opusscript';
import { createMp3Encoder } from 'wasm-media-encoders';
import { synthesize, toPcm16, voices } from '../../reference/audio/encode.ts';

const folder = 'reference/audio/clips';
/** 138 characters of ten milliseconds each: more than the second that a clip lasts. */
const text = 'every word of the clip is a separate tone and each one lasts a moment'.repeat(2);

registerAacEncoder();
mkdirSync(folder, { recursive: true });
const mp3 = await createMp3Encoder();
for (const voice of voices) {
  write(`${voice}.mp3`, encodeMp3(synthesize(text, voice, 1, 24_000)));
  write(`${voice}.aac`, await encodeAac(synthesize(text, voice, 1, 24_000)));
  write(`${voice}.opus-packets`, encodeOpus(synthesize(text, voice, 1, 48_000)));
}

/** 42 frames of 24 ms and 144 bytes: MPEG 2 layer III, 24 kHz, mono, 48 kbit/s. */
function encodeMp3(samples: Float32Array): Buffer {
  mp3.configure({ sampleRate: 24_000, channels: 1, bitrate: 48 });
  const bytes = Buffer.concat([Buffer.from(mp3.encode([samples])), Buffer.from(mp3.finalize())]);
  // The encoder appends frames that flush its state; the clip ends with the last whole second.
  return bytes.subarray(0, 42 * 144);
}

/** Frames of 1,024 samples at 24 kHz, mono, as ADTS. */
async function encodeAac(samples: Float32Array): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: new AdtsOutputFormat(), target });
  const source = new AudioSampleSource({ codec: 'aac', bitrate: 32_000 });
  output.addAudioTrack(source);
  await output.start();
  const shape = { format: 'f32', numberOfChannels: 1, sampleRate: 24_000, timestamp: 0 } as const;
  const sample = new AudioSample({ data: samples.slice(0, 24 * 1024), ...shape });
  await source.add(sample);
  sample.close();
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

/** 50 packets of 20 ms and 80 bytes: mono at 48 kHz, 32 kbit/s, without a container. */
function encodeOpus(samples: Float32Array): Buffer {
  const encoder = new OpusEncoder(48_000, 1, OpusEncoder.Application.AUDIO);
  encoder.setBitrate(32_000);
  // Packets of equal size: the file has no container, so the reader cuts it by size (CTL 4006 sets variable
  // bit rate).
  const constantRate = { request: 4006, value: 0 };
  encoder.encoderCTL(constantRate.request, constantRate.value);
  const pcm = toPcm16(samples);
  const packets = Array.from({ length: 50 }, (_, n) =>
    Buffer.from(encoder.encode(pcm.subarray(n * 1920, (n + 1) * 1920), 960)),
  );
  encoder.delete();
  return Buffer.concat(packets);
}

/** Writes a clip and prints its size, which the comments above and the reader in reference/audio rely on. */
function write(name: string, bytes: Uint8Array): void {
  writeFileSync(`${folder}/${name}`, bytes);
  console.log(`${folder}/${name}: ${bytes.length} bytes`);
}
