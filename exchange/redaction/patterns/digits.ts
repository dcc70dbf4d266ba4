/** Digits by value. */
const HEX = '0123456789abcdef';

/** The value of a hexadecimal digit in either case, or -1. */
export function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** The two hexadecimal digits of a byte. */
export function hexDigits(byte: number): [number, number] {
  return [HEX.charCodeAt(byte >> 4), HEX.charCodeAt(byte & 15)];
}

/** The hexadecimal digit of a value, in both cases. */
export function inBothCases(value: number): number[] {
  const digit = HEX[value] ?? '0';
  return [...new Set([digit, digit.toUpperCase()])].map((text) => text.charCodeAt(0));
}
