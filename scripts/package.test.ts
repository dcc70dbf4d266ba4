// What `npm pack` gives, unpacked into an empty folder beside its runtime dependencies only: no network is needed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-package-'));
  const home = join(folder, 'node_modules', 'assay');
  let tarball = '';
  let dependencies: readonly string[] = [];

  function node(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  beforeAll(() => {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'ignore' });
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
    mkdirSync(home, { recursive: true });
    execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', home]);
    const listed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
      cwd: root,
      encoding: 'utf8',
    });
    dependencies = listed
      .trim()
      .split('\n')
      .slice(1)
      .map((path) => relative(join(root, 'node_modules'), path));
    for (const name of dependencies.filter((path) => !path.includes('node_modules'))) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test('is small, and says how many packages it brings', () => {
    const { size } = statSync(tarball);
    console.log(`package: ${Math.round(size / 1000)} kB, ${dependencies.length} dependencies in all`);
    expect(size).toBeLessThan(1_500_000);
  });

  test('holds no test, no sample and no source', () => {
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' });
    const odd = files.filter((file) => /\.test\.|\/testing\/|\/samples\/|(?<!\.d)\.ts$|\.map$/.test(file));
    expect(odd).toEqual([]);
  });

  test('has nothing that a publisher would be warned of', async () => {
    const { messages } = await publint({ pkgDir: home, strict: true });
    expect(messages.filter(({ type }) => type !== 'suggestion')).toEqual([]);
  });

  test('runs the whole command', () => {
    const run = node(
      join(home, 'dist/cli/main.js'),
      'run',
      '--claim',
      'models',
      '--report',
      'terminal,html,json',
    );
    expect(run.stderr).not.toContain('    at ');
    expect(run.stdout).toContain('3 of 3 operations exercised');
    expect(run.status).toBe(0);
  });

  test('is imported, with its types and its data', () => {
    const program = `import { catalogue, type RequirementVerdict, startReference } from 'assay';
export const verdict: RequirementVerdict['verdict'] = 'pass';
const reference = await startReference();
console.log((await fetch(reference.url + '/models')).status, (await catalogue()).sections.length > 0);
await reference.close();
`;
    writeFileSync(join(folder, 'program.mts'), program);
    const strict = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
      '--skipLibCheck',
      'false',
    ];
    const roots = ['--typeRoots', join(root, 'node_modules/@types')];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    expect(node(compiler, ...strict, ...roots, 'program.mts')).toMatchObject({ status: 0, stdout: '' });
    expect(node('program.mjs').stdout).toBe('200 true\n');
    const data =
      "import file from 'assay/schemas/objects/file.json' with { type: 'json' }; console.log(file.title !== undefined)";
    writeFileSync(join(folder, 'data.mjs'), data);
    expect(node('data.mjs').stdout).toBe('true\n');
  });
});
