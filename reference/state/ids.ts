const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a generator of numbers in [0, 1) that depend on the seed only (mulberry32, public domain). */
export function randomSequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Hashes a text to an unsigned 32-bit number (FNV-1a over UTF-16 units). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function makeIdGenerator(seed: number): (prefix: string, length?: number) => string {
  const random = randomSequence(seed);
  return (prefix, length = 24) => {
    let id = prefix;
    for (let n = 0; n < length; n += 1) id += ALPHABET[Math.floor(random() * ALPHABET.length)];
    return id;
  };
}
