import type { ImportedHar } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../reports/words/text.ts';

/** Reports what was imported from files of other recorders and what was left out. Complete files share one line. */
export function harNotices(files: readonly ImportedHar[]): string {
  const [first] = files;
  if (first === undefined) return '';
  const odd = files.length === 1 ? files : files.filter(isThinned).slice(0, MAX_NAMED);
  const kind = files.every((one) => one.kind === first.kind) ? first.kind : 'file';
  const more = (count: number) => plural(count, `more ${kind}`, `more ${PLURALS[kind]}`);
  const all = files.length === 1 ? [] : [`${first.path} and ${more(files.length - 1)}`];
  const exchanges = files.reduce((sum, one) => sum + one.exchanges, 0);
  const lines = [...all.map((names) => `${names}: ${plural(exchanges, 'exchange')}`), ...odd.map(countLine)];
  const unnamed = files.filter(isThinned).length - odd.length;
  if (files.length > 1 && unnamed > 0) lines.push(`${more(unnamed)} of which exchanges were left out`);
  // Says why there are no verdicts on timing and chunking: such files lack what these need.
  return (
    `${lines.join('.\n')}. A ${kind} contains neither the pieces of responses nor ` +
    'their compression; responses without a stored body are judged by their head alone.\n'
  );
}

const PLURALS: Readonly<Record<ImportedHar['kind'] | 'file', string>> = {
  'HAR file': 'HAR files',
  'VCR cassette': 'VCR cassettes',
  'recording of nock': 'recordings of nock',
  'flow file': 'flow files',
  'list of requests': 'lists of requests',
  file: 'files',
};

const MAX_NAMED = 10;

function isThinned({ skipped, withSecret }: ImportedHar): boolean {
  return skipped + withSecret > 0;
}

function countLine({ path, exchanges, skipped, withSecret }: ImportedHar): string {
  const left = skipped === 0 ? '' : `, ${skipped} left out (other hosts, or no requests over HTTP)`;
  const secret =
    withSecret === 0 ? '' : `, ${withSecret} left out as a known secret in them could not be replaced`;
  return `${path}: ${plural(exchanges, 'exchange')}${left}${secret}`;
}
