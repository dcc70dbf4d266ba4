import type { ByteFilter } from '../redaction/byte-filter.ts';

export function cutBytes(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((to, i) => bytes.subarray(at[i], to));
}

export function filterPieces(filter: ByteFilter, bytes: Uint8Array, cuts: readonly number[] = []): Buffer {
  const output = cutBytes(bytes, cuts).map((piece) => filter.push(piece));
  return Buffer.concat([...output, filter.finish()]);
}
