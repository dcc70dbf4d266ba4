/** A `data` field of an event, with or without a value, as section 9.2.6 of the HTML standard defines it. */
const LINE = /(?:^|\r\n|\n|\r)data(?::[ ]?([^\r\n]*))?(?=[\r\n]|$)/g;

/** The data of an event, and the offset of each of its bytes in the event. */
export function eventData(raw: Uint8Array): { bytes: Uint8Array; at: Uint32Array } {
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
