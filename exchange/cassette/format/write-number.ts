/** So many bytes `writeNumber` writes at most. */
export const MAX_NUMBER_BYTES = 20;

/** ASCII code of the digit 0. */
const ZERO = 0x30;
const POINT = 0x2e;
/** Below it, no other number of so few digits stands as near as one of thousandths. */
const MOST_OF_THOUSANDTHS = 1e9;

/**
 * Writes whole numbers and thousandths as JSON.stringify does; gives where the number ends, or -1 where it is another one.
 */
export function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) return -1;
  const whole = Math.floor(value);
  if (whole === value) return writeWhole(bytes, at, whole);
  const thousandths = Math.round(value * 1000);
  if (value > MOST_OF_THOUSANDTHS || thousandths / 1000 !== value) return -1;
  const end = writeWhole(bytes, at, whole);
  bytes[end] = POINT;
  return writeFraction(bytes, end + 1, thousandths - whole * 1000);
}

/** Writes a non-negative integer in decimal; returns the offset after it. */
function writeWhole(bytes: Uint8Array, at: number, value: number): number {
  let end = at + 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = value;
  for (let place = end - 1; place >= at; place -= 1) {
    const tens = Math.floor(rest / 10);
    bytes[place] = ZERO + (rest - tens * 10);
    rest = tens;
  }
  return end;
}

/** Three digits, without zeros at their end. */
function writeFraction(bytes: Uint8Array, at: number, thousandths: number): number {
  const hundredths = Math.floor(thousandths / 10);
  const tenths = Math.floor(hundredths / 10);
  const [last, middle] = [thousandths - hundredths * 10, hundredths - tenths * 10];
  bytes[at] = ZERO + tenths;
  if (last === 0 && middle === 0) return at + 1;
  bytes[at + 1] = ZERO + middle;
  if (last === 0) return at + 2;
  bytes[at + 2] = ZERO + last;
  return at + 3;
}
