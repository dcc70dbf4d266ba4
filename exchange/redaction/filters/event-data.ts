/** A `data` field of an event, with or without a value, as section 9.2.6 of the HTML standard defines it. */
const LINE = /(?:^|\r\n|\n|\r)data(?::[ ]?([^\r\n]*))?(?=[\r\n]|$)/g;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const FIELD = Buffer.from('data');
/** Each number at its own index: part of it are the offsets of data in one line. */
const OFFSETS = new Uint32Array(16 * 1024);
for (let i = 0; i < OFFSETS.length; i += 1) OFFSETS[i] = i;

/** The data of an event, and the offset of each of its bytes in the event. */
export interface EventData {
  readonly bytes: Uint8Array;
  readonly at: Uint32Array;
}

/** Reads the data of an event. */
export function eventData(raw: Uint8Array): EventData {
  return dataOfOneLine(raw) ?? dataOfLines(raw);
}

/** The data of an event that has it in one line, as nearly all have; null for others. */
function dataOfOneLine(raw: Uint8Array): EventData | null {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  if (raw.length > OFFSETS.length || bytes.indexOf(CR) !== -1) return null;
  let data: EventData | null = null;
  for (let start = 0; start < raw.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found === -1 ? raw.length : found;
    const after = start + FIELD.length;
    const isData = after <= end && FIELD.every((byte, i) => raw[start + i] === byte);
    if (isData && (after === end || raw[after] === COLON)) {
      if (data !== null) return null;
      const from = Math.min(end, after + (after < end && raw[after + 1] === SPACE ? 2 : 1));
      data = { bytes: new Uint8Array(raw.subarray(from, end)), at: OFFSETS.subarray(from, end) };
    }
    start = end + 1;
  }
  return data;
}

/** The same for any event. */
function dataOfLines(raw: Uint8Array): EventData {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString('latin1');
  const bytes = new Uint8Array(raw.length);
  const at = new Uint32Array(raw.length);
  let count = 0;
  for (const match of text.matchAll(LINE)) {
    const { length } = match[1] ?? '';
    const from = match.index + match[0].length - length;
    if (count > 0) {
      bytes[count] = 10;
      at[count] = from;
      count += 1;
    }
    bytes.set(raw.subarray(from, from + length), count);
    for (let i = 0; i < length; i += 1) at[count + i] = from + i;
    count += length;
  }
  return { bytes: bytes.subarray(0, count), at: at.subarray(0, count) };
}
