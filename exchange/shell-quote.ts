import { printable } from './printable.ts';

/** Quotes a word for a POSIX shell, with control characters as `$'\u001b'`, so that nothing controls the terminal. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const safe = printable(word);
  if (safe === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${printable(word.replaceAll('\\', '\\\\').replaceAll("'", "\\'"))}'`;
}
