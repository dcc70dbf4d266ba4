import type { ImportedFile } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../schemas/message-text.ts';

const PLURALS: Readonly<Record<ImportedFile['kind'] | 'file', string>> = {
  'HAR file': 'HAR files',
  'VCR cassette': 'VCR cassettes',
  'recording of nock': 'recordings of nock',
  'flow file': 'flow files',
  'list of requests': 'lists of requests',
  file: 'files',
};

const MAX_NAMED = 10;

export function importNotices(files: readonly ImportedFile[]): string {
  const [first] = files;
  if (first === undefined) return '';
  const incomplete = files.filter(({ skipped, withSecret }) => skipped + withSecret > 0);
  const named = files.length === 1 ? files : incomplete.slice(0, MAX_NAMED);
  const kind = files.every((one) => one.kind === first.kind) ? first.kind : 'file';
  const more = (count: number) => plural(count, `more ${kind}`, `more ${PLURALS[kind]}`);
  const lines = named.map(countLine);
  if (files.length > 1) {
    const exchanges = files.reduce((sum, one) => sum + one.exchanges, 0);
    lines.unshift(`${first.path} and ${more(files.length - 1)}: ${plural(exchanges, 'exchange')}`);
    const unnamed = incomplete.length - named.length;
    if (unnamed > 0) lines.push(`${more(unnamed)} with exchanges left out`);
  }
  return `${lines.join('.\n')}.${lackWords(files)}\n`;
}

function lackWords(files: readonly ImportedFile[]): string {
  const kinds = new Set(files.filter(({ isExport }) => !isExport).map(({ kind }) => kind));
  const [kind] = kinds;
  if (kind === undefined) return '';
  const subject =
    kinds.size === 1 && files.every(({ isExport }) => !isExport)
      ? `A ${kind} contains`
      : 'Files of other recorders contain';
  return (
    ` ${subject} neither the pieces of responses nor their compression; ` +
    'responses without a stored body are judged by their head alone.'
  );
}

function countLine({ path, exchanges, skipped, withSecret }: ImportedFile): string {
  let line = `${path}: ${plural(exchanges, 'exchange')}`;
  if (skipped > 0) line += `, ${skipped} left out (other hosts, or not HTTP)`;
  if (withSecret > 0) line += `, ${withSecret} left out because a known secret could not be replaced`;
  return line;
}
