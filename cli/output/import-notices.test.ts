import { expect, test } from 'vitest';
import type { ImportedFile } from '../../pipeline/traffic/traffic-part.ts';
import { importNotices } from './import-notices.ts';

const LACK = 'neither the pieces of responses nor their compression; responses without a stored body are';

function importedFile(path: string, more: Partial<ImportedFile> = {}): ImportedFile {
  return { path, kind: 'HAR file', exchanges: 2, isExport: false, skipped: 0, withSecret: 0, ...more };
}

test('the notice about a file of another recorder says what it lacks', () => {
  expect(importNotices([importedFile('a.har')])).toBe(
    `a.har: 2 exchanges. A HAR file contains ${LACK} judged by their head alone.\n`,
  );
});

test('a file that assay exported is not said to lack anything', () => {
  const exported = importedFile('a.har', { isExport: true });
  expect(importNotices([exported])).toBe('a.har: 2 exchanges.\n');
  expect(importNotices([exported, importedFile('b.har')])).toBe(
    `a.har and 1 more HAR file: 4 exchanges. Files of other recorders contain ${LACK} judged by their head alone.\n`,
  );
});

test('files with exchanges left out are named', () => {
  const files = [
    importedFile('a.har'),
    importedFile('b.har', { skipped: 3 }),
    importedFile('c.json', { kind: 'VCR cassette', withSecret: 1 }),
  ];
  expect(importNotices(files).split('.\n', 3)).toEqual([
    'a.har and 2 more files: 6 exchanges',
    'b.har: 2 exchanges, 3 left out (other hosts, or not HTTP)',
    `c.json: 2 exchanges, 1 left out because a known secret could not be replaced. Files of other recorders contain ${LACK} judged by their head alone`,
  ]);
});
