/** Seconds of a WAVE file whose chunks begin at `from`. @throws Error without a data chunk. */
export function waveSeconds(bytes: Buffer, from: number): number {
  let perSecond = 0;
  for (let at = from; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (name === 'fmt ' && at + 20 <= bytes.length) perSecond = bytes.readUInt32LE(at + 16);
    // Writers that do not know the size yet write 0 or the largest number.
    if (name === 'data') {
      const left = bytes.length - at - 8;
      return (size === 0 || size > left ? left : size) / perSecond;
    }
    at += 8 + size + (size % 2);
  }
  throw new Error('it has no chunk of samples');
}

/**
 * Seconds of a FLAC file whose blocks of metadata begin at `from`. The duration is in STREAMINFO: 20 bits of
 * rate and 36 of samples. @throws Error without a frame after the metadata.
 */
export function flacSeconds(bytes: Buffer, from: number): number {
  let seconds = 0;
  for (let at = from, isLast = false; !isLast; ) {
    if (at + 4 > bytes.length) throw new Error('it breaks off before its first frame');
    const kind = bytes.readUInt8(at);
    const size = bytes.readUIntBE(at + 1, 3);
    if ((kind & 0x7f) === 0 && at + 22 <= bytes.length) {
      const shape = bytes.readBigUInt64BE(at + 14);
      seconds = Number(shape & 0xf_ffff_ffffn) / Number(shape >> 44n);
    }
    isLast = kind >= 0x80;
    at += 4 + size;
    // Fourteen bits of one and a zero begin a frame.
    if (isLast && (at + 16 > bytes.length || (bytes.readUInt16BE(at) & 0xfffe) !== 0xfff8))
      throw new Error('it breaks off before its first frame');
  }
  return seconds;
}

/**
 * Seconds of an Ogg file with Opus or Vorbis: the position of its last page, in samples. @throws Error for
 * other codecs, and for files without a first packet.
 */
export function oggSeconds(bytes: Buffer): number {
  let last = 0n;
  for (let at = 0; at + 27 <= bytes.length && bytes.toString('latin1', at, at + 4) === 'OggS'; ) {
    const granule = bytes.readBigInt64LE(at + 6);
    // A page on which no packet ends has the position -1.
    if (granule > last) last = granule;
    const table = at + 27 + bytes.readUInt8(at + 26);
    at = bytes.subarray(at + 27, table).reduce((end, size) => end + size, table);
  }
  const head = bytes.subarray(28, 28 + 19);
  if (head.length < 16) throw new Error('it breaks off before its first packet');
  if (head.toString('latin1', 0, 8) === 'OpusHead') return (Number(last) - head.readUInt16LE(10)) / 48_000;
  if (head.toString('latin1', 1, 7) === 'vorbis') return Number(last) / head.readUInt32LE(12);
  throw new Error('its Ogg stream is neither Opus nor Vorbis');
}
