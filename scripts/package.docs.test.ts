// Unpacks the result of `npm pack` next to its dependencies. The package is built and packed in a separate folder,
// because other tests use dist/.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRerankServer } from '../extension/testing/rerank-server.ts';
import { pack, readManifest } from './install/pack.ts';
import { listCommands, readDocument } from './testing/documents.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-package-'));
  const home = join(folder, 'node_modules', 'assay');
  let tarball = '';
  const dependencies = listDependencies();

  const env = { ...process.env, NO_COLOR: '1', npm_config_update_notifier: 'false' };
  function run(program: string, ...args: string[]) {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
    return { status, stdout, stderr };
  }

  beforeAll(() => {
    tarball = pack(folder);
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    unpack(tarball, folder, dependencies);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('is smaller than 2 MB', () => {
    const { size } = statSync(tarball);
    console.log(`package: ${Math.round(size / 1000)} kB, ${dependencies.length} dependencies in all`);
    expect(size).toBeLessThan(2_000_000);
  });

  test('contains each top-level entry that package.json lists and no other, without tests, samples and sources', () => {
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    const unexpectedFiles = files.filter((file) =>
      /\.test\.|\/testing\/|\/samples\/|(?<!\.d)\.ts$|\.map$/.test(file),
    );
    expect(unexpectedFiles).toEqual([]);
    const namedRoots = new Set(
      readManifest()
        .files.filter((file) => !file.startsWith('!'))
        .map((file) => file.split('/')[0]),
    );
    const roots = new Set(files.map((file) => file.split('/')[0]));
    for (const name of ['package.json', 'README.md', 'LICENSE']) namedRoots.add(name);
    expect([...roots].toSorted()).toEqual([...namedRoots].toSorted());
  });

  test('contains everything that its pages link to', () => {
    const pages = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.md'),
    );
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(home, page), 'utf8').replaceAll(/^```(?:.*\n)*?```/gm, '');
      const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link = '']) => link);
      const paths = links.filter((link) => !/^[a-z]+:/.test(link));
      return paths
        .filter((link) => !existsSync(join(home, dirname(page), link)))
        .map((link) => `${page}: ${link}`);
    });
    expect(pages).toContain('README.md');
    expect(broken).toEqual([]);
  });

  test('is what npm would publish', () => {
    // The step `Publish` of .github/workflows/release.yml runs this command, without --dry-run.
    const nowhere = ['--registry', 'http://127.0.0.1:9', '--fetch-retries', '0', '--json'];
    const { status, stdout } = run('npm', 'publish', tarball, '--access', 'public', '--dry-run', ...nowhere);
    expect(status).toBe(0);
    const output = JSON.parse(stdout);
    // Since npm 11 the output is an object with the package under its name.
    const { name, version, files } = (output.assay ?? output) as {
      readonly name: string;
      readonly version: string;
      readonly files: readonly { readonly path: string; readonly mode: number }[];
    }; // as: npm prints this form
    expect([name, version]).toEqual([
      'assay',
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
    ]);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.js', 'dist/index.d.ts']),
    );
    expect(files.find(({ path }) => path === 'dist/cli/main.js')?.mode).toBe(0o755);
  });

  test('causes no warning for the publisher', async () => {
    const { messages } = await publint({ pkgDir: home, strict: true });
    expect(messages.filter(({ type }) => type !== 'suggestion')).toEqual([]);
  });

  test('runs no script when it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    // npm runs the first three for each dependency, and the others only for some, such as one from git.
    const atInstall = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ];
    expect(Object.keys(scripts).filter((name) => atInstall.includes(name))).toEqual([]);
  });

  test('runs the scenarios of a family', () => {
    const models = ['--claim', 'models', '--report', 'terminal,html,json'];
    const { status, stdout, stderr } = run('npx', '--no-install', 'assay', 'run', ...models);
    expect(stderr).not.toContain('    at ');
    expect(stdout).toContain('3 of 3 operations exercised');
    expect(status).toBe(0);
    expect(existsSync(join(folder, 'assay-report/report.html'))).toBe(true);
  });

  test('runs its extensions with the commands of docs/extend.md', async () => {
    const { startServer } = await import(join(root, 'examples/embeddings/server.mjs'));
    const model = 'text-embedding-tiny';
    const lines = listCommands(readDocument('docs/extend.md')).filter((line) => line.includes('assay run'));
    for (const [name, start] of [
      ['rerank', startRerankServer],
      ['embeddings', startServer],
    ]) {
      const server: { readonly url: string; close(): Promise<void> } = await start();
      const line = lines.find((one) => one.includes(`--extension assay:${name}`)) ?? '';
      const command = line.replace('http://127.0.0.1:8000/v1', server.url).replace('my-model', model);
      // The server is in this process: a synchronous child would wait for it forever.
      const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: folder, env }).finally(
        () => server.close(),
      );
      expect(stdout, command).toMatch(/\n(\d+) of \1 requirements pass, 1 of 1 operations exercised/);
    }
  });

  test('can be imported, with its types and its data', () => {
    const program = `import { catalogue, type RequirementVerdict, startReference } from 'assay';
export const verdict: RequirementVerdict['verdict'] = 'pass';
const reference = await startReference();
console.log((await fetch(reference.url + '/models')).status, (await catalogue()).requirementSets.length > 0);
await reference.close();
`;
    writeFileSync(join(folder, 'program.mts'), program);
    const strict = '--strict --module nodenext --target es2023 --types node --skipLibCheck false'.split(' ');
    const roots = ['--typeRoots', join(root, 'node_modules/@types')];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const node = process.execPath;
    expect(run(node, compiler, ...strict, ...roots, 'program.mts')).toMatchObject({ status: 0, stdout: '' });
    expect(run(node, 'program.mjs').stdout).toBe('200 true\n');
    const data =
      "import file from 'assay/schemas/objects/file.json' with { type: 'json' }; console.log(file.title !== undefined)";
    writeFileSync(join(folder, 'data.mjs'), data);
    expect(run(node, 'data.mjs').stdout).toBe('true\n');
  });
});

/** Paths, below node_modules, of all packages that are installed with this one. */
function listDependencies(): readonly string[] {
  const flags = ['ls', '--omit=dev', '--omit=peer', '--all', '--parseable'];
  const listing = execFileSync('npm', flags, { cwd: root, encoding: 'utf8' });
  const paths = listing.trim().split('\n').slice(1);
  return paths.map((path) => relative(join(root, 'node_modules'), path));
}

/**
 * Simulates an installation without a registry: the unpacked package, next to links to its dependencies. `npm run
 * install-matrix` installs it with each package manager.
 */
function unpack(tarball: string, folder: string, dependencies: readonly string[]): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'assay'), { recursive: true });
  mkdirSync(join(modules, '.bin'), { recursive: true });
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', join(modules, 'assay')]);
  symlinkSync('../assay/dist/cli/main.js', join(modules, '.bin/assay'));
  for (const name of dependencies.filter((path) => !path.includes('node_modules'))) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
}
