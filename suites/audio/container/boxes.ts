import type { ContainerReader } from './audio.ts';

/** ISO base media (mp4, m4a): boxes. The duration comes from the movie header (`mvhd`), version 0 or 1. */
export const readMp4: ContainerReader = (bytes) => {
  if (bytes.toString('latin1', 4, 8) !== 'ftyp') return null;
  const at = bytes.indexOf('mvhd', 0, 'latin1');
  const isLong = bytes[at + 4] === 1;
  if (at === -1 || at + (isLong ? 36 : 24) > bytes.length) return { format: 'mp4', seconds: null };
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  const length = isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20);
  return { format: 'mp4', seconds: scale === 0 || length === 0 ? null : length / scale };
};

/** Matroska and WebM, known by the EBML signature. The duration is not read. */
export const readWebm: ContainerReader = (bytes) =>
  bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3 ? { format: 'webm', seconds: null } : null;
