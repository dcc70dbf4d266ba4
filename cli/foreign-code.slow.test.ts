import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runAssay } from './testing/run-assay.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'assay-foreign-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** A module that leaves a file where it runs. */
const MARKING_MODULE =
  "import { writeFileSync } from 'node:fs';\nwriteFileSync('was-run', '');\nexport default {};\n";
const COMMANDS = [
  ['check', resolve('cassettes/assistant-session')],
  ['list', '--family', 'chat'],
  ['explain', 'file:bytes#type', '--no-example'],
];

test.for(COMMANDS)(
  'assay %s runs neither a configuration program nor an extension that a configuration names',
  async (args) => {
    writeFileSync(join(cwd, 'assay.config.mjs'), MARKING_MODULE);
    const program = await runAssay(args, { cwd });
    expect(program.stderr).toContain('assay.config.mjs is a program and is not run by this command');
    rmSync(join(cwd, 'assay.config.mjs'));
    writeFileSync(join(cwd, 'evil.mjs'), MARKING_MODULE);
    writeFileSync(join(cwd, 'extension.json'), '{"format":1,"name":"evil","suites":["evil.mjs"]}');
    writeFileSync(join(cwd, 'assay.config.json'), '{"extension":"extension.json"}');
    const named = await runAssay(args, { cwd });
    expect(named.stderr).toContain('are not run by this command');
    expect([program.code, named.code]).not.toContain(2);
    expect(existsSync(join(cwd, 'was-run'))).toBe(false);
  },
);

test('--no-config ignores a configuration program', async () => {
  writeFileSync(join(cwd, 'assay.config.mjs'), MARKING_MODULE);
  const { code, stderr } = await runAssay(['list', '--family', 'chat', '--no-config'], { cwd });
  expect([code, stderr, existsSync(join(cwd, 'was-run'))]).toEqual([0, '', false]);
});

test('--config runs a configuration program and says so', async () => {
  writeFileSync(join(cwd, 'assay.config.mjs'), MARKING_MODULE);
  const { code, stderr } = await runAssay(['list', '--family', 'chat', '--config'], { cwd });
  expect(code).toBe(0);
  expect(stderr).toContain(`Running ${join(cwd, 'assay.config.mjs')}`);
  expect(existsSync(join(cwd, 'was-run'))).toBe(true);
});

test('--config names the extensions of the configuration that it runs, and none that --extension replaces', async () => {
  writeFileSync(join(cwd, 'assay.config.json'), '{"extension":"extension.json"}');
  for (const name of ['extension', 'other'])
    writeFileSync(join(cwd, `${name}.json`), `{"format":1,"name":"${name}","suites":[]}`);
  const list = ['list', '--family', 'chat', '--config'];
  const configured = await runAssay(list, { cwd });
  expect(configured.stderr).toContain('assay.config.json names: ["extension.json"]\n');
  const replaced = await runAssay([...list, '--extension', 'other.json'], { cwd });
  expect([configured.code, replaced.code, replaced.stderr]).toEqual([0, 0, '']);
});
