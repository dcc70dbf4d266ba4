/** Capitalises a line that was written for the terminal, where lines begin in lower case. */
export function capitalise(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Capitalises a line and ends it with a full stop, unless it already ends with punctuation. */
export function asSentence(line: string): string {
  return `${capitalise(line)}${/[.!?…]$/.test(line) ? '' : '.'}`;
}
