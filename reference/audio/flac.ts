import { createHash } from 'node:crypto';

const blockSize = 4096;

/** 16-bit little-endian mono samples as FLAC (RFC 9639), stored without prediction. `rate` must be 24,000 samples a second. */
export function encodeFlac(pcm: Buffer, rate: 24_000, comment: string): Buffer {
  const count = pcm.length / 2;
  const frames = Array.from({ length: Math.ceil(count / blockSize) }, (_, n) =>
    frame(pcm.subarray(n * blockSize * 2, (n + 1) * blockSize * 2), n),
  );
  const blocks = [block(0, streamInfo(pcm, rate)), block(0x84, comments(comment))];
  return Buffer.concat([Buffer.from('fLaC'), ...blocks, ...frames]);
}

/** A metadata block; the highest bit of its kind marks the last one. */
function block(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt8(kind, 0);
  head.writeUIntBE(content.length, 1, 3);
  return Buffer.concat([head, content]);
}

function streamInfo(pcm: Buffer, rate: number): Buffer {
  const info = Buffer.alloc(18);
  info.writeUInt16BE(blockSize, 0);
  info.writeUInt16BE(blockSize, 2);
  // 20 bits of rate, 3 of channels less one, 5 of bits less one, 36 of samples; the sizes of frames stay unknown.
  const shape = (BigInt(rate) << 44n) | (15n << 36n) | BigInt(pcm.length / 2);
  info.writeBigUInt64BE(shape, 10);
  return Buffer.concat([info, createHash('md5').update(pcm).digest()]);
}

function comments(comment: string): Buffer {
  const sized = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    return Buffer.concat([uint32(bytes.length), bytes]);
  };
  return Buffer.concat([sized('assay reference'), uint32(1), sized(comment)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A frame of 24 kHz, mono, 16 bits, whose only subframe holds its samples as they are. */
function frame(pcm: Buffer, number: number): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(pcm.length / 2 - 1);
  // The frame number is encoded like a UTF-8 character.
  const head = Buffer.concat([
    Buffer.from([0xff, 0xf8, 0x77, 0x08]),
    Buffer.from(String.fromCodePoint(number)),
    size,
  ]);
  const verbatim = 0x02;
  const body = Buffer.concat([
    head,
    Buffer.from([checksum(head, 8, 0x07), verbatim]),
    Buffer.from(pcm).swap16(),
  ]);
  const end = Buffer.alloc(2);
  end.writeUInt16BE(checksum(body, 16, 0x8005));
  return Buffer.concat([body, end]);
}

const tables = new Map<number, Uint32Array>();

/** A CRC of 8 or 16 bits, neither reflected nor inverted. */
function checksum(bytes: Uint8Array, bits: 8 | 16, polynomial: number): number {
  const mask = (1 << bits) - 1;
  const table = tables.get(bits) ?? tableOf(bits, polynomial);
  tables.set(bits, table);
  let rest = 0;
  for (const byte of bytes) rest = ((rest << 8) ^ (table[((rest >> (bits - 8)) ^ byte) & 0xff] ?? 0)) & mask;
  return rest;
}

function tableOf(bits: 8 | 16, polynomial: number): Uint32Array {
  const mask = (1 << bits) - 1;
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1)
      rest = ((rest << 1) ^ ((rest >> (bits - 1)) & 1 ? polynomial : 0)) & mask;
    return rest;
  });
}
