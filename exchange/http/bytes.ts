/** Views the same memory as a Buffer, without a copy. */
export function bufferOn(bytes: Uint8Array, from = 0, to = bytes.length): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
}
