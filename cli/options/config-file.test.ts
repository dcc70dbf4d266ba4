import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfigFile } from './config-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.for([
  ['without a package.json', null],
  ['next to an empty package.json', '{}'],
  ['in a CommonJS package', '{"type":"commonjs"}'],
  ['in a package of ES modules', '{"type":"module"}'],
] as const)('assay.config.ts is read %s', async ([, manifest]) => {
  if (manifest !== null) writeFileSync(join(folder, 'package.json'), manifest);
  writeFileSync(
    join(folder, 'assay.config.ts'),
    "const claim: string = 'chat';\nexport default { claim };\n",
  );
  expect(await readConfigFile(folder)).toEqual({ name: 'assay.config.ts', values: { claim: 'chat' } });
});

test('a file without a default export is rejected', async () => {
  writeFileSync(join(folder, 'assay.config.ts'), 'export const claim = 1;');
  await expect(readConfigFile(folder)).rejects.toThrow(
    'assay.config.ts cannot be read: it has no default export.',
  );
});

test('assay.config.mjs is read', async () => {
  writeFileSync(join(folder, 'assay.config.mjs'), "export default { claim: 'chat' };\n");
  expect(await readConfigFile(folder)).toEqual({ name: 'assay.config.mjs', values: { claim: 'chat' } });
});

test.for(['assay.config.mjs', 'assay.config.ts'])('%s is run only if all of it is used', async (name) => {
  writeFileSync(join(folder, name), "throw new Error('it was run');\n");
  expect(await readConfigFile(folder, 'none')).toBeNull();
  expect(await readConfigFile(folder, 'data')).toBeNull();
  await expect(readConfigFile(folder, 'whole')).rejects.toThrow('it was run');
});

test('a configuration file that is not run is named', async () => {
  writeFileSync(join(folder, 'assay.config.mjs'), "export default { claim: 'chat' };\n");
  const lines: string[] = [];
  await readConfigFile(folder, 'data', (line) => lines.push(line));
  expect(lines).toEqual([
    expect.stringContaining(`${join(folder, 'assay.config.mjs')} is a program and is not run`),
  ]);
});

test('a configuration file that is run is named', async () => {
  writeFileSync(join(folder, 'assay.config.mjs'), "export default { claim: 'chat' };\n");
  const lines: string[] = [];
  await readConfigFile(folder, 'whole', (line) => lines.push(line));
  expect(lines).toEqual([`Running ${join(folder, 'assay.config.mjs')}`]);
});

test('the extensions in assay.config.json are left out of its data, and a line says so', async () => {
  writeFileSync(join(folder, 'assay.config.json'), '{"claim":"chat","extension":"evil.mjs"}');
  const lines: string[] = [];
  const file = await readConfigFile(folder, 'data', (line) => lines.push(line));
  expect(file).toEqual({ name: 'assay.config.json', values: { claim: 'chat' } });
  expect(lines).toEqual([expect.stringContaining('are not run by this command')]);
});
