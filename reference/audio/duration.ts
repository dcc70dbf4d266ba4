import { flacSeconds, oggSeconds, waveSeconds } from './containers.ts';
import { matroskaSeconds, mp4Seconds } from './elements.ts';
import { beyondId3, mp3Seconds } from './mp3.ts';

/**
 * The duration of a recording in seconds, read from its bytes in one pass: wav, FLAC, Ogg (Opus, Vorbis), MP4, WebM or MP3.
 * @throws Error that says why it cannot be read.
 */
export function audioSeconds(bytes: Buffer): number {
  const seconds = read(bytes);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new Error('it holds no sound');
  return seconds;
}

/**
 * Chooses the reader by the first bytes; MP3 has no signature, so it comes last. An ID3 tag may precede any
 * format, so signatures are looked for behind it.
 */
function read(bytes: Buffer): number {
  const at = beyondId3(bytes);
  const name = bytes.toString('latin1', at, at + 4);
  if ((name === 'RIFF' || name === 'RF64') && bytes.toString('latin1', at + 8, at + 12) === 'WAVE')
    return waveSeconds(bytes, at + 12);
  if (name === 'fLaC') return flacSeconds(bytes, at + 4);
  if (name === 'OggS') return oggSeconds(bytes);
  if (bytes.toString('latin1', 4, 8) === 'ftyp') return mp4Seconds(bytes);
  if (bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3) return matroskaSeconds(bytes);
  return mp3Seconds(bytes, at);
}
