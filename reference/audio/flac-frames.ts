import { open } from 'node:fs/promises';

const marker = 'fLaC';

/** The head of a frame, at its longest. */
const longestHead = 16;

/**
 * Whether a file that begins as FLAC has a frame behind its blocks of metadata; true of all other files. The reader of
 * audio looks for the first frame for ever where there is none.
 */
export async function hasFrames(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const read = async (at: number, size: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, at);
      return buffer.subarray(0, bytesRead);
    };
    if ((await read(0, 4)).toString('latin1') !== marker) return true;
    for (let at = 4, isLast = false; !isLast; ) {
      const head = await read(at, 4);
      if (head.length < 4) return false;
      isLast = head.readUInt8(0) >= 0x80;
      at += 4 + head.readUIntBE(1, 3);
      if (isLast) return isFrame(await read(at, longestHead));
    }
    return false;
  } finally {
    await file.close();
  }
}

/** Fifteen bits of which the last is zero begin a frame. */
function isFrame(head: Buffer): boolean {
  return head.length === longestHead && (head.readUInt16BE(0) & 0xfffe) === 0xfff8;
}
