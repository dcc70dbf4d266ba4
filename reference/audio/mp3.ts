/** Kilobits a second of layer III by index: of MPEG 1, and of MPEG 2 and 2.5. */
const rates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** Samples a second of MPEG 1; of MPEG 2 half, of 2.5 a quarter. */
const sampleRates = [44_100, 48_000, 32_000];
/** Fewest frames in a row that count as sound, as a header may occur by chance; a file that ends with them needs one. */
const enough = 3;

/** Offset of the first byte after an ID3v2 tag, which may precede any format. */
export function beyondId3(bytes: Buffer): number {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return 0;
  return [6, 7, 8, 9].reduce((size, at) => (size << 7) | ((bytes[at] ?? 0) & 0x7f), 0) + 10;
}

/** Seconds of an MP3 file: the sum over its frames, in runs of at least `enough`. */
export function mp3Seconds(bytes: Buffer, from: number): number {
  let seconds = 0;
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at)) {
    const run = framesAt(bytes, at);
    const isSound = run.count >= enough || (run.count > 0 && run.end >= bytes.length);
    if (isSound) seconds += run.seconds;
    at = isSound ? run.end : at + 1;
  }
  if (seconds === 0) throw new Error('its format is not one of those that are taken');
  return seconds;
}

/** The consecutive frames from here; `end` is the first byte after them. */
function framesAt(bytes: Buffer, from: number): { count: number; seconds: number; end: number } {
  const run = { count: 0, seconds: 0, end: from };
  for (let frame = frameAt(bytes, from); frame !== null; frame = frameAt(bytes, run.end)) {
    run.count += 1;
    run.seconds += frame.seconds;
    run.end += frame.size;
  }
  return run;
}

/** The frame whose header begins here, or null: size in bytes and duration in seconds. */
function frameAt(bytes: Buffer, at: number): { size: number; seconds: number } | null {
  if (at + 4 > bytes.length) return null;
  const head = bytes.readUInt32BE(at);
  // 3 stands for MPEG 1, 2 for MPEG 2, 0 for MPEG 2.5; 1 is reserved.
  const version = (head >>> 19) & 3;
  const isLayer3 = head >>> 21 === 0x7ff && ((head >>> 17) & 3) === 1;
  if (!isLayer3 || version === 1) return null;
  const kilobits = (version === 3 ? rates1 : rates2)[(head >>> 12) & 15] ?? 0;
  const rate = (sampleRates[(head >>> 10) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  if (kilobits === 0 || rate === 0) return null;
  const samples = version === 3 ? 1152 : 576;
  return {
    size: Math.floor((samples * kilobits * 125) / rate) + ((head >>> 9) & 1),
    seconds: samples / rate,
  };
}
