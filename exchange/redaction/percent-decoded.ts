/** Values are decoded so often at most: URLs stand in parameters of URLs. */
const MOST_TIMES = 3;

/** A value without its percent escapes, and without theirs where it was encoded more than once; as far as they are valid. */
export function percentDecoded(value: string): string {
  let decoded = value;
  for (let times = 0; times < MOST_TIMES && decoded.includes('%'); times += 1) {
    const next = decodedOnce(decoded);
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

function decodedOnce(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
