import type { ImportedHar } from '../../pipeline/recorded-traffic.ts';
import { plural } from '../../reports/report.ts';

/** A line on an opened HAR file: its exchanges, those left out, and the facts that such a file does not contain. */
export function harNotice({ path, exchanges, skipped, withSecret }: ImportedHar): string {
  // Requests without a stored file cannot be judged: their bodies are missing.
  const left =
    skipped === 0 ? '' : `, ${skipped} left out (other hosts, or sent without the file holding it)`;
  const secret =
    withSecret === 0 ? '' : `, ${withSecret} left out as a known secret in them could not be replaced`;
  // The limits are part of the line: verdicts on timing and chunking are missing later, and the reason must
  // be known by then.
  return (
    `${path}: ${plural(exchanges, 'exchange')}${left}${secret}. A HAR file contains neither the pieces of responses nor ` +
    'their compression; responses without a stored body are judged by their head alone.\n'
  );
}
