import type { ContainerReader } from './audio.ts';

/** The size field of a writer that does not know the size yet. */
const UNKNOWN = 0xffff_ffff;

/** RIFF WAVE: the `fmt ` chunk contains the bytes per second, the `data` chunk the samples. */
export const readWav: ContainerReader = (bytes) => {
  const kind = bytes.toString('latin1', 0, 4);
  if ((kind !== 'RIFF' && kind !== 'RF64') || bytes.toString('latin1', 8, 12) !== 'WAVE') return null;
  let perSecond = 0;
  let at = 12;
  while (at + 8 <= bytes.length) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const content = at + 8;
    if (name === 'fmt ' && content + 12 <= bytes.length) perSecond = bytes.readUInt32LE(content + 8);
    if (name === 'data') {
      const left = bytes.length - content;
      const held = size === UNKNOWN || size === 0 ? left : Math.min(size, left);
      return { format: 'wav', seconds: perSecond === 0 ? null : held / perSecond };
    }
    at = content + size + (size % 2);
  }
  return { format: 'wav', seconds: null };
};
