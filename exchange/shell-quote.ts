import { printable } from './printable.ts';

/** Quotes a word for a shell. Control characters and CI commands are written as `$'\u001b'`, which bash, zsh and ksh decode. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const safe = printable(word);
  if (safe === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${printable(word.replaceAll('\\', '\\\\').replaceAll("'", "\\'"))}'`;
}
