import { afterId3Tag, type ContainerReader } from './audio.ts';

/** FLAC: the STREAMINFO block contains the sample rate and the number of samples, where 0 means unknown. */
export const readFlac: ContainerReader = (bytes) => {
  const at = afterId3Tag(bytes);
  if (bytes.toString('latin1', at, at + 4) !== 'fLaC') return null;
  const info = bytes.subarray(at + 8, at + 8 + 34);
  if (info.length < 18) return { format: 'flac', seconds: null };
  const rate = info.readUIntBE(10, 3) >> 4;
  const samples = ((info[13] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(14);
  return { format: 'flac', seconds: rate === 0 || samples === 0 ? null : samples / rate };
};
