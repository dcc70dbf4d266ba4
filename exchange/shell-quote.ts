import { printable } from './printable.ts';

/**
 * Quotes a word for a shell. Control characters and CI commands are written as in `$'\u001b'`, for bash, zsh and ksh.
 */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const safe = printable(word);
  if (safe === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${printable(word.replaceAll('\\', '\\\\').replaceAll("'", "\\'"))}'`;
}
