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

test('a HAR file in which a value has another type is imported, or rejected with a HarError', async () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-har-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const pathOf = (name: string) => join(root, name);
  await writeCompleteCassette(pathOf('exported'));
  await exportHar(pathOf('exported'), pathOf('exported.har'));
  const exported = JSON.parse(readFileSync(pathOf('exported.har'), 'utf8'));
  const [first] = exported.log.entries;
  const documents = [{ log: { entries: [HAR_ENTRY] } }, { log: { ...exported.log, entries: [first] } }];
  const header = (baseUrl: string) => traceHeader({ target: { baseUrl, name: 'imported' } });
  let [importedCount, rejectedCount] = [0, 0];
  for (const document of documents) {
    for (const { path, value } of typeVariants(document)) {
      const name = `n${importedCount + rejectedCount}`;
      try {
        writeFileSync(pathOf('x.har'), JSON.stringify(value));
        await importHar(pathOf('x.har'), pathOf(name), { header });
        importedCount += 1;
        rmSync(pathOf(name), { recursive: true });
      } catch (error) {
        rejectedCount += 1;
        expect(error, path).toBeInstanceOf(HarError);
      }
    }
  }
  expect(importedCount).toBeGreaterThan(100);
  expect(rejectedCount).toBeGreaterThan(300);
});
