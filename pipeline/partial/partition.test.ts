import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPart } from './partition.ts';

test.each([
  ['null', 'was written by another version of assay'],
  ['{"format":2}', 'was written by another version of assay'],
  ['{"format":1', 'cannot be read'],
])('a part whose file contains %s is refused', async (content, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-part-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'partition.json'), content);
  await expect(openPart(folder)).rejects.toThrow(message);
});
