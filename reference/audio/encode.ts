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
  return format === 'pcm' ? toPcm16(samples) : encodeFile(samples, format);
}

/** The encoders are large, so they are loaded when the first speech is asked for. */
async function encodeFile(
  samples: Float32Array,
  format: 'mp3' | 'aac' | 'flac' | 'wav',
): Promise<Uint8Array> {
  const media = await import('mediabunny');
  const { registerMp3Encoder } = await import('@mediabunny/mp3-encoder');
  const { registerAacEncoder } = await import('@mediabunny/aac-encoder');
  const { registerFlacEncoder } = await import('@mediabunny/flac-encoder');
  registerMp3Encoder();
  registerAacEncoder();
  registerFlacEncoder();
  const formats = {
    mp3: new media.Mp3OutputFormat(),
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
