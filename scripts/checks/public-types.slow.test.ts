// A snapshot of the types that package.json "exports", so that a change of the public interface shows in review.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The files of declarations that `"types"` in package.json names, relative to `dist/`, without those generated from the schemas. */
function entries(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values<{ readonly types?: string }>(exports)
    .flatMap(({ types }) => types ?? [])
    .map((types) => types.replace(/^\.\/dist\//, ''))
    .filter((types) => types !== 'schemas/types.d.ts');
}

function declarationsOf(file: string, target: string): string {
  return resolve(dirname(file), target.replace(/(?:\.d)?\.[jt]s$/, '.d.ts'));
}

/** Every file of declarations that an entry leads to. */
function reachable(out: string): readonly string[] {
  const reached = new Set<string>();
  const follow = (file: string): void => {
    if (reached.has(file) || !existsSync(file)) return;
    reached.add(file);
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)['"]/g))
      follow(declarationsOf(file, target));
  };
  for (const entry of entries()) follow(join(out, entry));
  return [...reached].toSorted();
}

/** Declarations without comments and private members: rewording a comment does not change the interface. */
function declarations(file: string): string {
  return readFileSync(file, 'utf8')
    .replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replaceAll(/^\s*(\/\/.*|#private;)\n/gm, '');
}

/** The interfaces and classes that a file of declarations exports, with their text. */
function exportedTypes(file: string): readonly (readonly [name: string, text: string])[] {
  const source = readFileSync(file, 'utf8');
  const found = source.matchAll(/^export (?:declare )?(?:abstract )?(?:interface|class) (\w+)[\s\S]*?^\}/gm);
  return [...found].map(([text, name = '']) => [name, text]);
}

/** Public members without a docstring. The docstring of a member covers what is nested in it. */
function undocumented(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, n) => {
    const [, name] = /^ {4}(?:(?:readonly|get|set|static|abstract) )*(\w+)\??[(:<]/.exec(line) ?? [];
    const isCovered = lines[n - 1]?.trimEnd().endsWith('*/') === true;
    return name === undefined || name === 'constructor' || isCovered ? [] : [name];
  });
}

let out = '';

beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'assay-types-'));
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  // The static check finds type errors; finding them here as well takes twice as long.
  const flags = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--noCheck', '--outDir', out];
  execFileSync(process.execPath, [compiler, ...flags], { cwd: root, stdio: 'inherit' });
});

afterAll(() => rmSync(out, { recursive: true, force: true }));

test('the public types are those of the snapshot; `npx vitest run scripts/checks/public-types.slow.test.ts --update` accepts a change', async () => {
  const files = reachable(out);
  expect(files).toEqual(expect.arrayContaining(entries().map((entry) => join(out, entry))));
  const text = files.map((file) => `// ${relative(out, file)}\n${declarations(file)}`).join('\n');
  await expect(text).toMatchFileSnapshot('public-types.snapshot.txt');
});

test('each member of an interface or class that an entry point exports has a docstring', () => {
  const types = reachable(out).flatMap(exportedTypes);
  const names = types.map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(['Report', 'Scenario', 'Replayer', 'Call', 'SchemaNode']));
  expect(types.flatMap(([type, text]) => undocumented(text).map((name) => `${type}.${name}`))).toEqual([]);
});
