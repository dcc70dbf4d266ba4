import type { WasmMediaEncoder } from 'wasm-media-encoders';
import { oggOpus } from './ogg-opus.ts';
import { synthesize, toPcm16 } from './synthesize.ts';

export type SpeechFormat = 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';

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

/** A spoken text as an audio file. The same text, voice and speed give the same bytes. */
export async function encodeSpeech(
  text: string,
  voice: string,
  speed: number,
  format: SpeechFormat,
): Promise<Uint8Array> {
  if (format === 'opus') return encodeOpus(synthesize(text, voice, speed, 48_000));
  const samples = synthesize(text, voice, speed, customaryRate);
  if (format === 'mp3') return encodeMp3(samples);
  return format === 'pcm' ? toPcm16(samples) : encodeFile(samples, format);
}

/** One for all: it starts slowly, and is at work without a pause. */
let mp3: Promise<WasmMediaEncoder<'audio/mpeg'>> | undefined;

async function encodeMp3(samples: Float32Array): Promise<Uint8Array> {
  mp3 ??= import('wasm-media-encoders').then(({ createMp3Encoder }) => createMp3Encoder());
  const encoder = await mp3;
  encoder.configure({ sampleRate: customaryRate, channels: 1, bitrate: 64 });
  // What it gives is overwritten by its next call.
  return Buffer.concat([Buffer.from(encoder.encode([samples])), encoder.finalize()]);
}

/** The encoders are large, so they are loaded when the first speech is asked for. */
async function encodeFile(samples: Float32Array, format: 'aac' | 'flac' | 'wav'): Promise<Uint8Array> {
  const media = await import('mediabunny');
  const { registerAacEncoder } = await import('@mediabunny/aac-encoder');
  const { registerFlacEncoder } = await import('@mediabunny/flac-encoder');
  registerAacEncoder();
  registerFlacEncoder();
  const formats = {
    aac: new media.AdtsOutputFormat(),
    flac: new media.FlacOutputFormat(),
    wav: new media.WavOutputFormat(),
  };
  const target = new media.BufferTarget();
  const output = new media.Output({ format: formats[format], target });
  const source = new media.AudioSampleSource({
    codec: format === 'wav' ? 'pcm-s16' : format,
    bitrate: 64_000,
  });
  output.addAudioTrack(source);
  await output.start();
  const shape = { format: 'f32', numberOfChannels: 1, sampleRate: customaryRate, timestamp: 0 } as const;
  const sample = new media.AudioSample({ data: samples, ...shape });
  await source.add(sample);
  sample.close();
  await output.finalize();
  return new Uint8Array(target.buffer ?? new ArrayBuffer(0));
}

async function encodeOpus(samples: Float32Array): Promise<Uint8Array> {
  const { default: OpusEncoder } = await import('opusscript');
  const encoder = new OpusEncoder(48_000, 1, OpusEncoder.Application.VOIP);
  encoder.setBitrate(32_000);
  const pcm = toPcm16(samples);
  const packets: Uint8Array[] = [];
  const packetBytes = 960 * 2;
  // Decoders drop the first 80 ms, so four packets more than the samples fill are made.
  const total = Math.ceil((samples.length + 3_840) / 960);
  for (let n = 0; n < total; n += 1) {
    const piece = Buffer.alloc(packetBytes);
    pcm.subarray(n * packetBytes, (n + 1) * packetBytes).copy(piece);
    packets.push(Buffer.from(encoder.encode(piece, 960)));
  }
  encoder.delete();
  return oggOpus(packets, samples.length);
}
