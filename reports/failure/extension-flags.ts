import { shellQuote } from '../../exchange/shell-quote.ts';
import { extensions } from '../../schemas/index.ts';

/** The flags that load the extensions in effect, so that a command knows their requirements. */
export function extensionFlags(): string {
  return extensions()
    .map(({ file }) => ` --extension ${shellQuote(file)}`)
    .join('');
}
