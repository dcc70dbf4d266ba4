// What a PNG file says of itself (RFC 2083): enough to judge an image that a client sends.
import { PNG } from 'pngjs';

/** The first eight bytes of every PNG file. */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Byte offsets in the file: the header chunk comes first, its length and name take eight bytes. */
const AT = { name: 12, width: 16, height: 20 } as const;
/** Bytes up to the end of the header chunk. */
const HEADER_END = 33;

/** Width and height in pixels; null for bytes that do not begin as a PNG file. */
export function pngSizeOf(
  bytes: Uint8Array | null,
): { readonly width: number; readonly height: number } | null {
  if (bytes === null || bytes.byteLength < HEADER_END) return null;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!view.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return null;
  if (view.toString('latin1', AT.name, AT.width) !== 'IHDR') return null;
  return { width: view.readUInt32BE(AT.width), height: view.readUInt32BE(AT.height) };
}

/** Whether some pixel is not opaque; true where the file cannot be decoded, which shows nothing. */
export function isTransparentSomewhere(bytes: Uint8Array): boolean {
  try {
    const { data } = PNG.sync.read(Buffer.from(bytes));
    for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) return true;
    return false;
  } catch {
    return true;
  }
}
