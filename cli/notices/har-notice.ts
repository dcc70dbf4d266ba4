import type { ImportedHar } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../reports/report.ts';

/**
 * Lines on the opened HAR files: their exchanges, those left out, and the facts that such files do not contain. One file has
 * its line; of several, those of which nothing was left out share one.
 */
export function harNotices(files: readonly ImportedHar[]): string {
  const [first] = files;
  if (first === undefined) return '';
  const odd = files.length === 1 ? files : files.filter(isThinned).slice(0, MOST_NAMED);
  const all = files.length === 1 ? [] : [`${first.path} and ${plural(files.length - 1, 'more HAR file')}`];
  const exchanges = files.reduce((sum, one) => sum + one.exchanges, 0);
  const lines = [...all.map((names) => `${names}: ${plural(exchanges, 'exchange')}`), ...odd.map(countLine)];
  const unnamed = files.filter(isThinned).length - odd.length;
  if (files.length > 1 && unnamed > 0)
    lines.push(`${plural(unnamed, 'more HAR file')} of which exchanges were left out`);
  // The limits are part of the lines: verdicts on timing and chunking are missing later, and the reason must be known by then.
  return (
    `${lines.join('.\n')}. A HAR file contains neither the pieces of responses nor ` +
    'their compression; responses without a stored body are judged by their head alone.\n'
  );
}

/** Most files that are named for what was left out of them. */
const MOST_NAMED = 10;

function isThinned({ skipped, withSecret }: ImportedHar): boolean {
  return skipped + withSecret > 0;
}

/** The exchanges of one file, and those left out. */
function countLine({ path, exchanges, skipped, withSecret }: ImportedHar): string {
  const left = skipped === 0 ? '' : `, ${skipped} left out (other hosts, or no requests over HTTP)`;
  const secret =
    withSecret === 0 ? '' : `, ${withSecret} left out as a known secret in them could not be replaced`;
  return `${path}: ${plural(exchanges, 'exchange')}${left}${secret}`;
}
