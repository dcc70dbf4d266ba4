/** Views the same memory as a Buffer, without a copy. */
export function bufferOn(bytes: Uint8Array, from = 0, to = bytes.length): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
}

/** Length of the longest suffix of the bytes that is a proper prefix of `mark`. */
export function beginningLength(bytes: Buffer, mark: Buffer): number {
  let length = Math.min(mark.length - 1, bytes.length);
  while (!bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) length -= 1;
  return length;
}
