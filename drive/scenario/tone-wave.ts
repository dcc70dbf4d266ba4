const SAMPLES_PER_SECOND = 16_000;
const FREQUENCY_HZ = 440;
const AMPLITUDE = 12_000;

/** Creates `seconds` of a 440 Hz tone as a WAVE file: 16-bit mono PCM at 16 kHz. */
export function createToneWave(seconds: number): Buffer {
  const sampleCount = Math.round(seconds * SAMPLES_PER_SECOND);
  const file = Buffer.alloc(44 + sampleCount * 2);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16); // size of the format chunk
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(1, 22); // channels
  file.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  file.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28); // bytes per second
  file.writeUInt16LE(2, 32); // bytes per sample of all channels
  file.writeUInt16LE(16, 34); // bits per sample
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(sampleCount * 2, 40);
  for (let i = 0; i < sampleCount; i++)
    file.writeInt16LE(
      Math.round(AMPLITUDE * Math.sin((2 * Math.PI * FREQUENCY_HZ * i) / SAMPLES_PER_SECOND)),
      44 + i * 2,
    );
  return file;
}
