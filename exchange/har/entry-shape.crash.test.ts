import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeCompleteCassette } from '../testing/complete-cassette.ts';
import { HAR_ENTRY } from '../testing/har-entry.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { typeVariants } from '../testing/type-variants.ts';
import { HarError } from './format.ts';
import { importHar } from './read.ts';
import { exportHar } from './write.ts';

test('members with another type than in HAR leave the file readable or cause a HarError, at any place', async () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-har-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const pathOf = (name: string) => join(root, name);
  await writeCompleteCassette(pathOf('ours'));
  await exportHar(pathOf('ours'), pathOf('ours.har'));
  const ours = JSON.parse(readFileSync(pathOf('ours.har'), 'utf8'));
  const [first] = ours.log.entries;
  const documents = [{ log: { entries: [HAR_ENTRY] } }, { log: { ...ours.log, entries: [first] } }];
  const header = (baseUrl: string) => traceHeader({ target: { baseUrl, name: 'imported' } });
  let [read, refused] = [0, 0];
  for (const document of documents) {
    for (const { path, value } of typeVariants(document)) {
      const name = `n${read + refused}`;
      try {
        writeFileSync(pathOf('x.har'), JSON.stringify(value));
        await importHar(pathOf('x.har'), pathOf(name), { header });
        read += 1;
        rmSync(pathOf(name), { recursive: true });
      } catch (error) {
        refused += 1;
        expect(error, path).toBeInstanceOf(HarError);
      }
    }
  }
  expect(read).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(300);
});
