import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ExtensionError, readExtensionFile } from './extension-file.ts';

test('a path that leads through a file is an error of the extension', () => {
  const path = `${fileURLToPath(import.meta.url)}/extension.json`;
  expect(() => readExtensionFile(path)).toThrow(ExtensionError);
  expect(() => readExtensionFile(path)).toThrow(`${path} cannot be read: ENOTDIR`);
});
