import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { runAssay } from './testing/run-assay.ts';

const KEYS = { OWN: 'sk-assay-key-of-one-organization', OTHER: 'sk-assay-key-of-the-other-one' };
const ID = 'files.scope.organization';
const cwd = mkdtempSync(join(tmpdir(), 'assay-second-key-'));

afterAll(() => rmSync(cwd, { recursive: true }));

async function run(
  flags: readonly string[],
  { fault, env = {} }: { fault?: string; env?: Record<string, string> } = {},
) {
  const service = await startReference({ apiKey: KEYS.OWN, secondKey: KEYS.OTHER, fault });
  try {
    const command = ['--base-url', service.url, '--api-key-env', 'OWN', '--claim', 'files', '--only', ID];
    return await runAssay(['run', ...command, ...flags], { cwd, env: { ...KEYS, ...env } });
  } finally {
    await service.close();
  }
}

test('lists that show the files of another organization fail, and no key is printed or reported', async () => {
  const { code, stdout, stderr } = await run(['--second-key-env', 'OTHER'], { fault: ID });
  expect(code, stdout).toBe(1);
  expect(stdout).toContain(`--api-key-env OWN --second-key-env OTHER --claim files --only ${ID}`);
  expect(stdout).toMatch(/curl -sS \S+\/files .*Bearer \$OTHER"/);
  const report = join(cwd, 'assay-report');
  const files = readdirSync(report, { recursive: true, encoding: 'utf8' }).map((name) => join(report, name));
  const written = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'));
  expect(written.length).toBeGreaterThan(3);
  for (const key of Object.values(KEYS)) expect(written.join('') + stdout + stderr).not.toContain(key);
});

test('lists that keep organizations separate conform with a second key from the configuration file', async () => {
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify({ format: 1, secondKeyEnv: 'OTHER' }));
  const { code, stdout } = await run([]);
  rmSync(join(cwd, 'assay.config.json'));
  expect(code, stdout).toBe(0);
  expect(stdout).toContain('1 of 1 requirements pass');
});

test('without a second key the requirement is untested', async () => {
  const { stdout } = await run([]);
  expect(stdout).toContain('not-configured: key of another organization (--second-key-env)');
});

test('a second key that the service rejects makes the requirement inconclusive', async () => {
  const { code, stdout } = await run(['--second-key-env', 'OTHER'], {
    env: { OTHER: 'sk-assay-key-of-nobody' },
  });
  expect(code, stdout).toBe(2);
  expect(stdout).toMatch(/blocked by exchange e\d+: GET \/v1\/files answered 401/);
});

test('a run is rejected if the variable of the second key is not set', async () => {
  const { code, stderr } = await run(['--second-key-env', 'NOT_THERE']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--second-key-env names NOT_THERE, which is not set.'),
  ]);
});

test('a run is rejected if both keys are the same', async () => {
  const { code, stderr } = await run(['--second-key-env', 'OWN']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('OWN and OWN contain the same key')]);
});
