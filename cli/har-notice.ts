import type { ImportedHar } from '../pipeline/recorded-traffic.ts';
import { plural } from '../reports/report.ts';

/** A line on a HAR file that was opened, and on what such a file cannot show. */
export function harNotice({ path, exchanges, skipped }: ImportedHar): string {
  const left =
    skipped === 0 ? '' : `, ${skipped} left out (other hosts, or sent without the file holding it)`;
  return (
    `${path}: ${plural(exchanges, 'exchange')}${left}. A HAR file does not tell the pieces in which answers came, nor ` +
    'how they were compressed; what it holds without a body is judged by its head alone.\n'
  );
}
