import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDocument } from './testing/documents.ts';

test('system packages of the tests are installed with sudo if the runner is not root, and one that cannot be installed is a warning', () => {
  const text = readDocument('.ci/run');
  const functions = text.slice(
    text.indexOf('# System packages are installed'),
    text.indexOf('programs_log='),
  );
  const folder = mkdtempSync(join(tmpdir(), 'assay-ci-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const log = join(folder, 'apt-get.log');
  const programs = {
    id: 'echo 1001',
    'apt-get': `[ -n "$IS_ROOT" ] || exit 100; [ "$5" != mitmproxy ] || exit 1; echo "apt-get $*" >> '${log}'`,
    sudo: 'shift; IS_ROOT=1 exec "$@"',
    prometheus: 'exit 0',
  };
  for (const [name, body] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  // The PATH has only what the functions need, because the machine may have Chromium and mitmproxy.
  for (const name of ['sh', 'cat']) symlinkSync(`/bin/${name}`, join(bin, name));
  const script = `set -euo pipefail\n${functions}\nprograms`;
  const env = { PATH: bin, GITHUB_ACTIONS: 'true' };
  const { status, stdout } = spawnSync('/bin/bash', ['-c', script], { env, encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^::warning::mitmproxy is not available: .*\n$/);
  expect(readFileSync(log, 'utf8')).toContain(
    'apt-get update -qq\napt-get install -y -qq --no-install-recommends chromium\n',
  );
});
