/** What the bytes of audio say of it. */
export interface Audio {
  /** The container, and what is in it where that makes a difference: `ogg-opus`. */
  readonly format: 'mp3' | 'aac' | 'flac' | 'wav' | 'ogg-opus' | 'ogg-flac' | 'ogg' | 'mp4' | 'webm';
  /** How long it is; null where the container does not tell. */
  readonly seconds: number | null;
}

/** A reader of one container: null where the bytes are something else. */
export type Reader = (bytes: Buffer) => Audio | null;

/** A frame of compressed audio: its bytes, and how long it lasts. */
export interface Frame {
  readonly size: number;
  readonly seconds: number;
}

/** Fewer frames may come about by chance, unless the file has no more. */
const ENOUGH = 3;

/** How long the frames are that follow one another from here on; null where there are too few. */
export function secondsOfFrames(
  bytes: Buffer,
  begin: number,
  frameAt: (bytes: Buffer, at: number) => Frame | null,
): number | null {
  let at = begin;
  let frames = 0;
  let seconds = 0;
  for (let frame = frameAt(bytes, at); frame !== null; frame = frameAt(bytes, at)) {
    frames += 1;
    seconds += frame.seconds;
    at += frame.size;
  }
  const isWhole = frames > 0 && at >= bytes.length;
  return frames >= ENOUGH || isWhole ? seconds : null;
}

/** Where the bytes begin beyond an ID3v2 tag, which may stand before anything. */
export function beyondTag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3' || bytes.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | ((bytes[at] ?? 0) & 0x7f), 0);
  return 10 + size;
}
