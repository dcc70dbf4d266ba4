// Runs the commands of .github/workflows/release.yml offline, in the shell that GitHub uses: `gh`, `docker` and `npm`
// record their arguments, and `origin` is a folder. scripts/package.docs.test.ts packs the package and runs
// `npm publish --dry-run`.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT, readDocument } from './testing/documents.ts';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const { concurrency, jobs } = parse(readDocument('.github/workflows/release.yml')) as {
  readonly concurrency: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly needs?: string | readonly string[]; readonly steps?: readonly Step[] }>
  >;
}; // as: scripts/sites.docs.test.ts validates it

const folder = mkdtempSync(join(tmpdir(), 'assay-release-'));
const clone = join(folder, 'clone');
const callLog = join(folder, 'calls');
/** While this file exists, `npm view` and `gh release view` find the version. */
const publishedMarker = join(folder, 'published');
const FILES = ['CHANGELOG.md', 'package.json', 'clients/python/pyproject.toml', 'scripts/release'];
const VERSION = '1.4.0';
const NOTES = '- What is new.\n- What is fixed.';

function git(...args: readonly string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: clone, encoding: 'utf8' }).trim();
}

/** Creates a clone with the files of the release, after its version is set. */
beforeAll(() => {
  mkdirSync(join(folder, 'bin'));
  for (const program of ['gh', 'docker', 'npm']) {
    const path = join(folder, 'bin', program);
    const published = `case "$1 $2" in
  'view assay@${VERSION}') if [ -e '${publishedMarker}' ]; then echo ${VERSION}; else exit 1; fi ;;
  'release view') [ -e '${publishedMarker}' ] ;;
esac`;
    writeFileSync(path, `#!/bin/sh\necho "${program} $*" >> '${callLog}'\n${published}\n`);
    chmodSync(path, 0o755);
  }
  execFileSync('git', ['init', '-q', '--bare', join(folder, 'origin')]);
  execFileSync('git', ['clone', '-q', join(folder, 'origin'), clone], { stdio: 'ignore' });
  for (const file of FILES) cpSync(join(ROOT, file), join(clone, file), { recursive: true });
  const edit = (file: string, from: RegExp | string, to: string) =>
    writeFileSync(join(clone, file), readFileSync(join(clone, file), 'utf8').replace(from, to));
  edit('CHANGELOG.md', '## Unreleased\n', `## Unreleased\n\n## ${VERSION}\n\n${NOTES}\n\n## 1.3.9\n\n`);
  edit('package.json', /"version": ".*"/, `"version": "${VERSION}"`);
  edit('clients/python/pyproject.toml', /^version = ".*"$/m, `version = "${VERSION}"`);
  git('add', '.');
  git('commit', '-qm', 'release');
  git('tag', 'v1');
  git('commit', '-qm', 'later', '--allow-empty');
  git('tag', `v${VERSION}`);
  git('push', '-q', '--tags');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the commands of a job in order; returns the calls of the programs that need a network. Throws if one fails. */
function rehearse(job: string, tag = `v${VERSION}`): readonly string[] {
  rmSync(callLog, { force: true });
  for (const { run } of jobs[job]?.steps ?? []) {
    if (run === undefined) continue;
    const env = {
      PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: folder,
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.com',
      RUNNER_TEMP: folder,
      GITHUB_REF_NAME: tag,
      GITHUB_REPOSITORY: 'Owner/assay',
      GITHUB_ACTOR: 'somebody',
      TOKEN: 'the-token',
    };
    const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run];
    const { status, stderr } = spawnSync('bash', shell, { cwd: clone, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
  return existsSync(callLog) ? readFileSync(callLog, 'utf8').trim().split('\n') : [];
}

test('the package is packed with the URL of its repository, and published with provenance', () => {
  writeFileSync(join(folder, `assay-${VERSION}.tgz`), '');
  expect(rehearse('package')).toEqual([
    'npm ci',
    'npm pkg set repository.type=git repository.url=git+https://github.com/Owner/assay.git',
    `npm pack --pack-destination ${folder}`,
    `npm view assay@${VERSION} version`,
    `npm publish ${folder}/assay-${VERSION}.tgz --access public --tag latest`,
  ]);
  expect(jobs['package']?.steps?.at(-1)?.env).toMatchObject({ NPM_CONFIG_PROVENANCE: 'true' });
  expect(jobs['package']).toMatchObject({ permissions: { 'id-token': 'write' } });
});

test('the image is pushed for both platforms, with the tags of the version and latest, and no argument contains the token', () => {
  const calls = rehearse('image');
  expect(calls).toEqual([
    'docker login ghcr.io --username somebody --password-stdin',
    'docker buildx create --use',
    expect.stringMatching(
      /^docker buildx build --platform linux\/amd64,linux\/arm64 .*--tag ghcr\.io\/owner\/assay:1\.4\.0 --tag ghcr\.io\/owner\/assay:latest --push \.$/,
    ),
  ]);
  expect(calls.join('\n')).not.toContain('the-token');
});

test('the notes are those of the version, and the tag of the major version moves', () => {
  expect(git('rev-parse', 'v1')).not.toBe(git('rev-parse', `v${VERSION}`));
  expect(rehearse('action')).toEqual([
    `gh release view v${VERSION}`,
    `gh release create v${VERSION} --verify-tag --title v${VERSION} --notes-file ${folder}/notes.md --latest=true`,
  ]);
  expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe(`${NOTES}\n`);
  const [moved] = git('ls-remote', 'origin', 'refs/tags/v1').split('\t');
  expect(moved).toBe(git('rev-parse', `v${VERSION}`));
});

function withTag(tag: string, body: () => void): void {
  git('push', '-q', 'origin', `HEAD:refs/tags/${tag}`);
  try {
    body();
  } finally {
    git('push', '-q', 'origin', `:refs/tags/${tag}`);
  }
}

test('an older version moves neither latest nor the tag of its major version', () => {
  const [before] = git('ls-remote', 'origin', 'refs/tags/v1').split('\t');
  git('commit', '-qm', 'even later', '--allow-empty');
  writeFileSync(join(folder, `assay-${VERSION}.tgz`), '');
  withTag('v1.10.0', () => {
    expect(rehearse('package').at(-1)).toMatch(/ --tag older$/);
    expect(rehearse('image').at(-1)).not.toContain(':latest');
    expect(rehearse('action').at(-1)).toMatch(/ --latest=false$/);
    expect(git('ls-remote', 'origin', 'refs/tags/v1')).toContain(before);
  });
});

test('the greatest version of an older line moves only the tag of its major version, and pre-releases do not count', () => {
  writeFileSync(join(folder, `assay-${VERSION}.tgz`), '');
  withTag('v2.0.0', () => {
    expect(rehearse('package').at(-1)).toMatch(/ --tag older$/);
    expect(rehearse('image').at(-1)).not.toContain(':latest');
    expect(rehearse('action').at(-1)).toMatch(/ --latest=false$/);
    expect(git('ls-remote', 'origin', 'refs/tags/v1')).toContain(git('rev-parse', 'HEAD'));
  });
  withTag('v2.0.0-rc.1', () => expect(rehearse('image').at(-1)).toContain(':latest'));
});

test('the package and action jobs can be repeated after they have published', () => {
  writeFileSync(join(folder, `assay-${VERSION}.tgz`), '');
  writeFileSync(publishedMarker, '');
  try {
    expect(rehearse('package').at(-1)).toBe(`npm view assay@${VERSION} version`);
    expect(rehearse('action')).toEqual([`gh release view v${VERSION}`]);
    expect(git('ls-remote', 'origin', 'refs/tags/v1')).toContain(git('rev-parse', 'HEAD'));
  } finally {
    rmSync(publishedMarker);
  }
});

test('a second run for a tag waits for the first, and does not cancel it', () => {
  expect(concurrency).toEqual({ group: `release-\${{ github.ref }}`, 'cancel-in-progress': false });
});

test('a pre-release is rejected', () => {
  expect(() => rehearse('version', `v${VERSION}-rc.1`)).toThrow(/v1\.4\.0-rc\.1 is not a release/);
});

test('a tag of another version, or one without notes, fails the job that all others need', () => {
  expect(rehearse('version')).toEqual([]);
  expect(() => rehearse('version', 'v9.9.9')).toThrow(
    /package\.json has the version 1\.4\.0[\s\S]*pyproject\.toml has the version 1\.4\.0[\s\S]*no section "## 9\.9\.9"/,
  );
  expect(existsSync(callLog)).toBe(false);
});

test('nothing is published before the tag is checked and the tests pass, and the tag of the major version moves last', () => {
  expect(Object.keys(jobs)).toEqual(['version', 'test', 'package', 'image', 'action']);
  expect(jobs['version']?.needs).toBeUndefined();
  expect(jobs['test']).toEqual({ needs: 'version', uses: './.github/workflows/test.yml' });
  expect(jobs['package']?.needs).toEqual(['version', 'test']);
  expect(jobs['image']?.needs).toEqual(['version', 'test']);
  expect(jobs['action']?.needs).toEqual(['package', 'image']);
});
