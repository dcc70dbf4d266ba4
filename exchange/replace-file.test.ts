import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFile, writeNamedFile } from './replace-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-replace-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const pathOf = (name: string) => join(folder, name);

test.for([
  ['replaceFile', replaceFile],
  ['writeNamedFile', writeNamedFile],
] as const)('%s replaces a link, and leaves the file that it points to', ([, write]) => {
  writeFileSync(pathOf('precious'), 'precious');
  symlinkSync(pathOf('precious'), pathOf('report.json'));
  symlinkSync(pathOf('absent'), pathOf('dangling'));
  for (const name of ['report.json', 'dangling']) write(pathOf(name), 'new');
  expect(readFileSync(pathOf('precious'), 'utf8')).toBe('precious');
  expect(lstatSync(pathOf('report.json')).isFile()).toBe(true);
  expect(readdirSync(folder).toSorted()).toEqual(['dangling', 'precious', 'report.json']);
});

test('a folder in the way stays, and no temporary file is left behind', () => {
  mkdirSync(pathOf('report.json'));
  writeFileSync(join(pathOf('report.json'), 'x'), '');
  expect(() => replaceFile(pathOf('report.json'), 'new')).toThrow(/EISDIR|ENOTEMPTY|EPERM|EEXIST/);
  expect(readdirSync(folder)).toEqual(['report.json']);
});

test('a device that the user names is written to, not replaced', () => {
  writeNamedFile('/dev/null', 'new');
  expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
});
