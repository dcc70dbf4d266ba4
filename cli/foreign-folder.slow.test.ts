import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runAssay, spawnAssay } from './testing/run-assay.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-outside-'));
  for (const name of ['precious', 'cwd']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'precious', 'report.json'), 'precious');
});
afterEach(() => rmSync(root, { recursive: true }));

const CHECK = ['check', resolve('cassettes/assistant-session'), '--report', 'json,junit'];
const check = (...args: readonly string[]) => runAssay([...CHECK, ...args], { cwd: join(root, 'cwd') });
const listPrecious = () => readdirSync(join(root, 'precious'));

test.for<[string, () => void]>([
  [
    'a link instead of the report folder',
    () => symlinkSync('../precious', join(root, 'cwd', 'assay-report')),
  ],
  [
    'a link that leads to nothing yet',
    () => {
      symlinkSync(join(root, 'new'), join(root, 'cwd', 'link'));
      writeFileSync(join(root, 'cwd', 'assay.config.json'), '{"reportDir":"link/a"}');
    },
  ],
  [
    'a link, behind another link, that leads to nothing yet',
    () => {
      const cwd = join(root, 'cwd');
      for (const dir of ['a/b/c', 'top']) mkdirSync(join(cwd, dir), { recursive: true });
      symlinkSync('../../../top', join(cwd, 'a/b/c/up'));
      symlinkSync('../../new', join(cwd, 'top/link'));
      writeFileSync(join(cwd, 'assay.config.json'), '{"reportDir":"a/b/c/up/link"}');
    },
  ],
  [
    'a configuration that names another folder',
    () => writeFileSync(join(root, 'cwd', 'assay.config.json'), '{"reportDir":"../precious"}'),
  ],
])(
  'check writes no report through %s, only to an outside folder that --report-dir names',
  async ([, plant]) => {
    plant();
    const { code, stderr } = await check();
    expect([code, stderr]).toEqual([2, expect.stringContaining('outside this folder. Nothing was written')]);
    expect(listPrecious()).toEqual(['report.json']);
    expect(readFileSync(join(root, 'precious', 'report.json'), 'utf8')).toBe('precious');
    expect(existsSync(join(root, 'new'))).toBe(false);
    const { code: named } = await check('--report-dir', '../precious');
    expect(named).not.toBe(2);
    expect(listPrecious()).toContain('junit.xml');
  },
);

test('an empty ASSAY_REPORT_DIR does not allow an outside folder that a configuration names', async () => {
  writeFileSync(join(root, 'cwd', 'assay.config.json'), '{"reportDir":"../precious"}');
  const { code } = await runAssay(CHECK, { cwd: join(root, 'cwd'), env: { ASSAY_REPORT_DIR: '' } });
  expect([code, listPrecious()]).toEqual([2, ['report.json']]);
});

test.skipIf(process.platform === 'win32')(
  'a pipe in place of the configuration file is rejected, and does not block the command',
  async () => {
    execFileSync('mkfifo', [join(root, 'cwd', 'assay.config.json')]);
    // The command has its own process, because a blocked one would not let the test time out.
    const { code, stderr } = await spawnAssay(CHECK, { cwd: join(root, 'cwd') });
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a pipe or a special file')]);
  },
);
