/** The same memory as a Buffer: nothing is copied. */
export function bufferOn(bytes: Uint8Array, from = 0, to = bytes.length): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
}
