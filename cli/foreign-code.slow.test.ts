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

const PLANT = "import { writeFileSync } from 'node:fs';\nwriteFileSync('was-run', '');\nexport default {};\n";
const COMMANDS = [
  ['check', resolve('cassettes/assistant-session')],
  ['list', '--family', 'chat'],
  ['explain', 'file:bytes#type', '--no-example'],
];

test.for(COMMANDS)(
  'assay %s runs neither a configuration program nor an extension that a configuration names',
  async (...[args]) => {
    writeFileSync(join(cwd, 'assay.config.mjs'), PLANT);
    const program = await runAssay(args, { cwd });
    expect(program.stderr).toContain('assay.config.mjs is a program and is not run by this command');
    rmSync(join(cwd, 'assay.config.mjs'));
    writeFileSync(join(cwd, 'evil.mjs'), PLANT);
    writeFileSync(join(cwd, 'assay.config.json'), '{"extension":"evil.mjs"}');
    const named = await runAssay(args, { cwd });
    expect(named.stderr).toContain('are not run by this command');
    expect([program.code, named.code]).not.toContain(2);
    expect(existsSync(join(cwd, 'was-run'))).toBe(false);
  },
);

test('--config runs a configuration program and says so, and --no-config ignores it', async () => {
  writeFileSync(join(cwd, 'assay.config.mjs'), PLANT);
  const without = await runAssay(['list', '--family', 'chat', '--no-config'], { cwd });
  expect([without.code, without.stderr, existsSync(join(cwd, 'was-run'))]).toEqual([0, '', false]);
  const given = await runAssay(['list', '--family', 'chat', '--config'], { cwd });
  expect(given.stderr).toContain(`Running ${join(cwd, 'assay.config.mjs')}`);
  expect(existsSync(join(cwd, 'was-run'))).toBe(true);
});
