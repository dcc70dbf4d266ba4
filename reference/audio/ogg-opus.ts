// Ogg pages are written here because the available muxers choose random stream numbers, and this service is
// deterministic.

/** Samples a second that Opus works with, samples in a packet (20 ms), and samples that decoders drop at the start. */
const sampleRate = 48_000;
const packetSamples = 960;
const preSkip = 3_840;

const perPage = 50;

const serial = 1;

/** An Ogg Opus file (RFC 7845) of packets of 20 ms each that hold `samples` samples at 48 kHz, with a comment `NAME=value` or none. */
export function oggOpus(
  packets: readonly Uint8Array[],
  samples: number,
  comment: string | null = null,
): Buffer {
  const pages = [page([head()], 0, 0, 2), page([tags(comment)], 1, 0, 0)];
  for (let from = 0; from < packets.length; from += perPage) {
    const last = from + perPage >= packets.length;
    const end = preSkip + samples;
    const granule = last ? end : Math.min(end, (from + perPage) * packetSamples);
    pages.push(page(packets.slice(from, from + perPage), pages.length, granule, last ? 4 : 0));
  }
  return Buffer.concat(pages);
}

function head(): Buffer {
  const bytes = Buffer.alloc(19);
  bytes.write('OpusHead');
  bytes[8] = 1; // version
  bytes[9] = 1; // channels
  bytes.writeUInt16LE(preSkip, 10);
  bytes.writeUInt32LE(sampleRate, 12);
  return bytes;
}

function tags(comment: string | null): Buffer {
  const vendor = Buffer.from('assay reference');
  const texts = comment === null ? [] : [Buffer.from(comment)];
  const parts = [vendor, ...texts].map((text, n) => {
    // The number of comments follows the vendor.
    const bytes = Buffer.alloc(4 + text.length + (n === 0 ? 4 : 0));
    bytes.writeUInt32LE(text.length);
    text.copy(bytes, 4);
    if (n === 0) bytes.writeUInt32LE(texts.length, 4 + text.length);
    return bytes;
  });
  return Buffer.concat([Buffer.from('OpusTags'), ...parts]);
}

/** A page of whole packets; `granule` counts the samples up to its end, `flags` are 2 for the first and 4 for the last. */
function page(packets: readonly Uint8Array[], sequence: number, granule: number, flags: number): Buffer {
  const lacing = packets.flatMap(({ length }) => [
    ...Array(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  const header = Buffer.alloc(27);
  header.write('OggS');
  header[5] = flags;
  header.writeBigUInt64LE(BigInt(granule), 6);
  header.writeUInt32LE(serial, 14);
  header.writeUInt32LE(sequence, 18);
  header[26] = lacing.length;
  const bytes = Buffer.concat([header, Buffer.from(lacing), ...packets]);
  bytes.writeUInt32LE(checksum(bytes), 22);
  return bytes;
}

const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 0x80000000 ? (rest << 1) ^ 0x04c11db7 : rest << 1;
  return rest >>> 0;
});

/** The CRC of Ogg pages: polynomial 04C11DB7, neither reflected nor inverted. */
function checksum(bytes: Uint8Array): number {
  let rest = 0;
  for (const byte of bytes) rest = ((rest << 8) ^ (remainders[(rest >>> 24) ^ byte] ?? 0)) >>> 0;
  return rest;
}
