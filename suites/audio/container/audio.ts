/** The container and the duration that the bytes of an audio file contain. */
export interface AudioInfo {
  /** The container, with its codec where the container alone is ambiguous: `ogg-opus`. */
  readonly format: 'mp3' | 'aac' | 'flac' | 'wav' | 'ogg-opus' | 'ogg-flac' | 'ogg' | 'mp4' | 'webm';
  /** Duration in seconds; null where the container does not contain it. */
  readonly seconds: number | null;
}

/**
 * A reader of one container: null where the bytes are in another format. Never throws on cut or damaged
 * bytes.
 */
export type ContainerReader = (bytes: Buffer) => AudioInfo | null;

/** A frame of compressed audio: its size in bytes and its duration in seconds. */
export interface AudioFrame {
  readonly size: number;
  readonly seconds: number;
}

/** The first byte of the sync word of every frame. */
const SYNC = 0xff;
/** Fewer frames than this may be a coincidence, unless the file has no further bytes. */
const ENOUGH = 3;

type FrameReader = (bytes: Buffer, at: number) => AudioFrame | null;

/**
 * The total duration in seconds of the frames from `begin` on, without the tags between them; null where too
 * few follow one another.
 */
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

/** The uninterrupted frames from `begin` on: their number, total seconds and end offset. */
function runAt(bytes: Buffer, begin: number, frameAt: FrameReader) {
  const run = { frames: 0, seconds: 0, end: begin };
  for (let frame = frameAt(bytes, begin); frame !== null; frame = frameAt(bytes, run.end)) {
    run.frames += 1;
    run.seconds += frame.seconds;
    run.end += frame.size;
  }
  return run;
}

/**
 * The offset of the first byte after an ID3v2 tag, which may precede any format; 0 without such
 * tag.
 */
export function afterId3Tag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3' || bytes.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | ((bytes[at] ?? 0) & 0x7f), 0);
  return 10 + size;
}
