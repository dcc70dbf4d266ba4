/** What the bytes of audio say of it. */
export interface Audio {
  /** The container, and what is in it where that makes a difference: `ogg-opus`. */
  readonly format: 'mp3' | 'aac' | 'flac' | 'wav' | 'ogg-opus' | 'ogg-flac' | 'ogg' | 'mp4' | 'webm';
  /** How long it is; null where the container does not tell. */
  readonly seconds: number | null;
}

/** A reader of one container: null where the bytes are something else. */
export type Reader = (bytes: Buffer) => Audio | null;

/** Where the bytes begin beyond an ID3v2 tag, which may stand before anything. */
export function beyondTag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3' || bytes.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | ((bytes[at] ?? 0) & 0x7f), 0);
  return 10 + size;
}
