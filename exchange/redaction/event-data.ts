/** The data of an event, and the offset of each of its bytes in the event. */
export function dataOf(raw: Uint8Array): { bytes: Uint8Array; at: Uint32Array } {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString('latin1');
  const bytes: number[] = [];
  const at: number[] = [];
  const line = /(?:^|\r\n|\n|\r)data(?::[ ]?([^\r\n]*))?(?=[\r\n]|$)/g;
  for (const match of text.matchAll(line)) {
    const content = match[1] ?? '';
    const from = match.index + match[0].length - content.length;
    if (at.length > 0) {
      bytes.push(10);
      at.push(from);
    }
    for (let i = 0; i < content.length; i += 1) {
      bytes.push(content.charCodeAt(i));
      at.push(from + i);
    }
  }
  return { bytes: Uint8Array.from(bytes), at: Uint32Array.from(at) };
}
