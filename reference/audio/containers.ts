// Audio containers; all except WAVE take a comment or mark that tells files apart. Ogg pages are written here
// because available muxers choose random stream numbers, and this service is deterministic.
import { createHash } from 'node:crypto';

/** Sample rate in hertz of every format except Opus. */
export const SAMPLE_RATE = 24_000;
/** Samples per FLAC frame. */
const BLOCK_SIZE = 4096;
/** Sample rate of Opus in hertz. */
const OPUS_RATE = 48_000;
/** Samples per Opus packet, 20 ms. */
const PACKET_SAMPLES = 960;
/** Samples that decoders drop at the start. */
const PRE_SKIP = 3_840;
const PACKETS_PER_PAGE = 50;
const STREAM_NUMBER = 1;
const flacHeaderChecksum = makeCrc(8, 0x07);
const flacFrameChecksum = makeCrc(16, 0x8005);
const oggChecksum = makeCrc(32, 0x04c11db7);

/** Encodes 16-bit little-endian mono samples as FLAC (RFC 9639), without prediction. */
export function encodeFlac(pcm: Buffer, comment: string): Buffer {
  const count = pcm.length / 2;
  const frames = Array.from({ length: Math.ceil(count / BLOCK_SIZE) }, (_, n) =>
    flacFrame(pcm.subarray(n * BLOCK_SIZE * 2, (n + 1) * BLOCK_SIZE * 2), n),
  );
  const blocks = [metadataBlock(0, streamInfo(pcm)), metadataBlock(0x84, vorbisComment([comment]))];
  return Buffer.concat([Buffer.from('fLaC'), ...blocks, ...frames]);
}

function metadataBlock(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt8(kind, 0);
  head.writeUIntBE(content.length, 1, 3);
  return Buffer.concat([head, content]);
}

function streamInfo(pcm: Buffer): Buffer {
  const info = Buffer.alloc(18);
  info.writeUInt16BE(BLOCK_SIZE, 0);
  info.writeUInt16BE(BLOCK_SIZE, 2);
  // 20 bits for the rate, 3 for the channels minus one, 5 for the bits minus one, 36 for the number of samples.
  const format = (BigInt(SAMPLE_RATE) << 44n) | (15n << 36n) | BigInt(pcm.length / 2);
  info.writeBigUInt64BE(format, 10);
  return Buffer.concat([info, createHash('md5').update(pcm).digest()]);
}

function flacFrame(pcm: Buffer, number: number): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(pcm.length / 2 - 1);
  // Sync code; block size in a 16-bit field, 24 kHz; mono, 16 bits per sample; the frame number, encoded like UTF-8.
  const head = Buffer.concat([
    Buffer.from([0xff, 0xf8, 0x77, 0x08]),
    Buffer.from(String.fromCodePoint(number)),
    size,
  ]);
  const verbatim = 0x02;
  const body = Buffer.concat([
    head,
    Buffer.from([flacHeaderChecksum(head), verbatim]),
    Buffer.from(pcm).swap16(),
  ]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16BE(flacFrameChecksum(body));
  return Buffer.concat([body, checksum]);
}

/** Wraps packets of 20 ms in Ogg (RFC 7845); `samples` are played, at 48 kHz. A comment is `NAME=value`. */
export function encodeOggOpus(
  packets: readonly Uint8Array[],
  samples: number,
  comment: string | null = null,
): Buffer {
  const tags = Buffer.concat([Buffer.from('OpusTags'), vorbisComment(comment === null ? [] : [comment])]);
  const pages = [oggPage([opusHead()], 0, 0, 2), oggPage([tags], 1, 0, 0)];
  for (let from = 0; from < packets.length; from += PACKETS_PER_PAGE) {
    const isLast = from + PACKETS_PER_PAGE >= packets.length;
    const end = PRE_SKIP + samples;
    const granule = isLast ? end : Math.min(end, (from + PACKETS_PER_PAGE) * PACKET_SAMPLES);
    pages.push(oggPage(packets.slice(from, from + PACKETS_PER_PAGE), pages.length, granule, isLast ? 4 : 0));
  }
  return Buffer.concat(pages);
}

function opusHead(): Buffer {
  const bytes = Buffer.alloc(19);
  bytes.write('OpusHead');
  bytes[8] = 1; // version
  bytes[9] = 1; // channels
  bytes.writeUInt16LE(PRE_SKIP, 10);
  bytes.writeUInt32LE(OPUS_RATE, 12);
  return bytes;
}

/** A page of whole packets; `granule` counts samples up to its end, `flags` are 2 for the first and 4 for the last. */
function oggPage(packets: readonly Uint8Array[], sequence: number, granule: number, flags: number): Buffer {
  const lacing = packets.flatMap(({ length }) => [
    ...Array(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  const header = Buffer.alloc(27);
  header.write('OggS');
  header[5] = flags;
  header.writeBigUInt64LE(BigInt(granule), 6);
  header.writeUInt32LE(STREAM_NUMBER, 14);
  header.writeUInt32LE(sequence, 18);
  header[26] = lacing.length;
  const bytes = Buffer.concat([header, Buffer.from(lacing), ...packets]);
  bytes.writeUInt32LE(oggChecksum(bytes), 22);
  return bytes;
}

/** The vendor and the comments; each text is preceded by its length. */
function vorbisComment(comments: readonly string[]): Buffer {
  const uint32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const sized = (text: string): Buffer => Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)]);
  return Buffer.concat([sized('assay reference'), uint32(comments.length), ...comments.map(sized)]);
}

/** A CRC of 8, 16 or 32 bits that starts with 0, neither reflected nor inverted. */
function makeCrc(bits: 8 | 16 | 32, polynomial: number): (bytes: Uint8Array) => number {
  const mask = 2 ** bits - 1;
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1)
      remainder = (remainder << 1) ^ ((remainder >>> (bits - 1)) & 1 ? polynomial : 0);
    return remainder & mask;
  });
  return (bytes) => {
    let remainder = 0;
    for (const byte of bytes)
      remainder = ((remainder << 8) ^ (table[((remainder >>> (bits - 8)) ^ byte) & 0xff] ?? 0)) & mask;
    return remainder >>> 0;
  };
}

/** Writes digest bits into the buffer fullness of ADTS headers, 11 bits that decoders ignore: ADTS has no comments. */
export function markAdts(frames: readonly Uint8Array[], digest: Buffer): Buffer {
  return Buffer.concat(
    frames.map((frame, n) => {
      const bytes = Buffer.from(frame);
      const fullness = digest.readUInt16BE((n * 2) % digest.length) & 0x7ff;
      bytes[5] = ((bytes[5] ?? 0) & 0xe0) | (fullness >> 6);
      bytes[6] = ((bytes[6] ?? 0) & 0x03) | ((fullness & 0x3f) << 2);
      return bytes;
    }),
  );
}

/** An ID3v2.3 tag with one comment, of at most 16,000 characters. */
export function encodeId3(comment: string): Buffer {
  const content = Buffer.from(`\u0000eng\u0000${comment}`, 'latin1');
  const frame = Buffer.alloc(10);
  frame.write('COMM', 'latin1');
  frame.writeUInt32BE(content.length, 4);
  const size = frame.length + content.length;
  const head = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, size >> 7, size & 0x7f]);
  return Buffer.concat([head, frame, content]);
}

/** The header of a WAVE file with `size` bytes of 16-bit mono samples. */
export function encodeWaveHeader(size: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + size, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLE_RATE, 24);
  head.writeUInt32LE(SAMPLE_RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(size, 40);
  return head;
}
