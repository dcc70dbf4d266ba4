import { printable } from '../../exchange/printable.ts';
import { extensions } from '../../schemas/index.ts';

/** The flags that load the extensions in effect, so that a command knows their requirements. */
export function extensionFlags(): string {
  return extensions()
    .map(({ file }) => ` --extension ${shellQuote(file)}`)
    .join('');
}

/** Quotes a word for a POSIX shell, with control characters as `$'\u001b'`, so that nothing controls the terminal. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const safe = printable(word);
  if (safe === word) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${printable(word.replaceAll('\\', '\\\\').replaceAll("'", "\\'"))}'`;
}
