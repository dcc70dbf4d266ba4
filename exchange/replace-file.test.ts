import { spawn } from 'node:child_process';
import {
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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
  writeFileSync(pathOf('linked'), 'linked');
  symlinkSync(pathOf('linked'), pathOf('report.json'));
  symlinkSync(pathOf('absent'), pathOf('dangling'));
  for (const name of ['report.json', 'dangling']) write(pathOf(name), 'new');
  expect(readFileSync(pathOf('linked'), 'utf8')).toBe('linked');
  for (const name of ['report.json', 'dangling']) {
    expect(lstatSync(pathOf(name)).isFile()).toBe(true);
    expect(readFileSync(pathOf(name), 'utf8')).toBe('new');
  }
  expect(readdirSync(folder).toSorted()).toEqual(['dangling', 'linked', 'report.json']);
});

test('replaceFile fails for a folder in the way and leaves no temporary file', () => {
  mkdirSync(pathOf('report.json'));
  writeFileSync(join(pathOf('report.json'), 'x'), '');
  expect(() => replaceFile(pathOf('report.json'), 'new')).toThrow(/EISDIR|ENOTEMPTY|EPERM|EEXIST/);
  expect(readdirSync(folder)).toEqual(['report.json']);
});

test.skipIf(process.platform === 'win32')(
  'writeNamedFile writes to an open file after what it contains',
  () => {
    const descriptor = openSync(pathOf('redirected'), 'w');
    writeFileSync(descriptor, 'before, ');
    writeNamedFile(`/dev/fd/${descriptor}`, 'new');
    closeSync(descriptor);
    expect(readFileSync(pathOf('redirected'), 'utf8')).toBe('before, new');
  },
);

test.skipIf(process.platform === 'win32')('writeNamedFile writes to an open socket', async () => {
  const { stdin, stdout } = spawn('cat');
  const handle: unknown = Reflect.get(stdin, '_handle');
  writeNamedFile(`/dev/fd/${Reflect.get(Object(handle), 'fd')}`, 'new');
  stdin.end();
  expect(await text(stdout)).toBe('new');
});

test('writeNamedFile does not replace a device', () => {
  writeNamedFile('/dev/null', 'new');
  expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
});
