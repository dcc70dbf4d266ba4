/** What the bytes of audio say of it. */
export interface AudioInfo {
  /** The container, and what is in it where that makes a difference: `ogg-opus`. */
  readonly format: 'mp3' | 'aac' | 'flac' | 'wav' | 'ogg-opus' | 'ogg-flac' | 'ogg' | 'mp4' | 'webm';
  /** How long it is; null where the container does not tell. */
  readonly seconds: number | null;
}

/** A reader of one container: null where the bytes are something else. */
export type ContainerReader = (bytes: Buffer) => AudioInfo | null;

/** A frame of compressed audio: its bytes, and how long it lasts. */
export interface AudioFrame {
  readonly size: number;
  readonly seconds: number;
}

/** The first byte of every frame. */
const SYNC = 0xff;
/** Fewer frames may come about by chance, unless the file has no more. */
const ENOUGH = 3;

type FrameReader = (bytes: Buffer, at: number) => AudioFrame | null;

/** How long the frames are from here on, tags between them passed over; null where too few follow one another. */
export function secondsOfFrames(bytes: Buffer, begin: number, frameAt: FrameReader): number | null {
  const first = runAt(bytes, begin, frameAt);
  const isWhole = first.frames > 0 && first.end >= bytes.length;
  if (first.frames < ENOUGH && !isWhole) return null;
  let { seconds } = first;
  for (let at = bytes.indexOf(SYNC, first.end); at !== -1; at = bytes.indexOf(SYNC, at)) {
    const run = runAt(bytes, at, frameAt);
    const isAudio = run.frames >= ENOUGH;
    if (isAudio) seconds += run.seconds;
    at = isAudio ? run.end : at + 1;
  }
  return seconds;
}

/** The frames that follow one another. */
function runAt(bytes: Buffer, begin: number, frameAt: FrameReader) {
  const run = { frames: 0, seconds: 0, end: begin };
  for (let frame = frameAt(bytes, begin); frame !== null; frame = frameAt(bytes, run.end)) {
    run.frames += 1;
    run.seconds += frame.seconds;
    run.end += frame.size;
  }
  return run;
}

/** Where the bytes begin beyond an ID3v2 tag, which may stand before anything. */
export function afterId3Tag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3' || bytes.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | ((bytes[at] ?? 0) & 0x7f), 0);
  return 10 + size;
}
