import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { githubWorkflow, gitlabJob } from '../pipeline/init/workflows.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readSource = (path: string) => readFileSync(join(root, path), 'utf8');
const FACTS = {
  baseUrl: 'http://127.0.0.1:8000/v1',
  keyVariable: 'SERVICE_KEY',
  start: null,
  installation: { install: 'npm ci', command: 'npx assay' },
};

test('each action of the generated workflow is pinned to a commit', () => {
  const { steps } = parse(githubWorkflow(FACTS)).jobs.conformance;
  const actions = steps.flatMap(({ uses }: { uses?: string }) => (uses === undefined ? [] : [uses]));
  expect(actions).toHaveLength(3);
  for (const action of actions) expect(action).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
});

test('each action of our own workflows is also in the generated workflow', () => {
  const listUses = (text: string) => [...text.matchAll(/uses: ([^.].*)$/gm)].map(([, action]) => action);
  const pinned = listUses(githubWorkflow(FACTS));
  for (const name of ['test', 'release']) {
    const own = listUses(readSource(`.github/workflows/${name}.yml`));
    expect(own.length).toBeGreaterThan(0);
    expect(pinned).toEqual(expect.arrayContaining(own));
  }
});

const IMAGE = /^node:22-slim@sha256:[0-9a-f]{64}$/;

test.each<[string, readonly string[]]>([
  ['the generated job of GitLab', [parse(gitlabJob(FACTS)).assay.image]],
  [
    'the Dockerfile',
    [...readSource('Dockerfile').matchAll(/^FROM (?:--\S+ )?(\S+)/gm)].map(([, image]) => String(image)),
  ],
  [
    'the component of GitLab',
    [...readSource('templates/conformance.yml').matchAll(/image: (\S+)/g)].map(([, image]) => String(image)),
  ],
])('each base image of %s is pinned to a digest', (_, images) => {
  expect(images.length).toBeGreaterThan(0);
  for (const image of images) expect(image).toMatch(IMAGE);
});

test('the action installs esbuild with the digests of the lock file', () => {
  const script = readSource('scripts/action-install.sh');
  expect(script).toContain('\nnode scripts/build/lock-esbuild.mjs\nnpm ci ');
  expect(script).not.toMatch(/npm install\b|npx/);
  const folder = mkdtempSync(join(tmpdir(), 'assay-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  execFileSync(process.execPath, [join(root, 'scripts/build/lock-esbuild.mjs'), folder]);
  const locked = JSON.parse(readSource('package-lock.json')).packages;
  const { '': own, ...packages } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  ).packages;
  expect(own.dependencies).toEqual({ esbuild: locked['node_modules/esbuild'].version });
  const digests = (from: object) =>
    Object.entries(from).map(([path, { version, integrity }]) => [path, version, integrity]);
  const names = Object.keys(locked['node_modules/esbuild'].optionalDependencies);
  expect(digests(packages)).toEqual(
    digests(
      Object.fromEntries(
        Object.entries(locked).filter(([path]) =>
          [...names, 'esbuild'].includes(path.replace(/^node_modules\//, '')),
        ),
      ),
    ),
  );
  for (const [, , integrity] of digests(packages)) expect(integrity).toMatch(/^sha512-/);
});
