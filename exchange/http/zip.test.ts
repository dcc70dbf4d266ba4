import { expect, test } from 'vitest';
import { zipOf } from '../testing/zip.ts';
import { readZipEntries } from './zip.ts';

test('entries of a zip file that share bytes count separately towards the limit', () => {
  const zip = zipOf({ 'a.txt': 'x'.repeat(1000) });
  const directory = zip.subarray(zip.indexOf('PK\u0001\u0002'), zip.indexOf('PK\u0005\u0006'));
  const bomb = Buffer.concat([zip, ...Array.from({ length: 99 }, () => directory)]);
  const entries = readZipEntries(bomb, 5500);
  expect(entries).toHaveLength(100);
  expect(entries.filter(({ content }) => content !== null)).toHaveLength(5);
});
