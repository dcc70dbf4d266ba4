// The snapshot shows each change of the public interface in review.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The declaration files that `"types"` in package.json names, relative to `dist/`, except the one generated from the
 * schemas.
 */
function entryFiles(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values<{ readonly types?: string }>(exports)
    .flatMap(({ types }) => types ?? [])
    .map((types) => types.replace(/^\.\/dist\//, ''))
    .filter((types) => types !== 'schemas/types.d.ts');
}

function resolveDeclarations(file: string, target: string): string {
  return resolve(dirname(file), target.replace(/(?:\.d)?\.[jt]s$/, '.d.ts'));
}

function reachableFiles(out: string): readonly string[] {
  const reached = new Set<string>();
  const follow = (file: string): void => {
    if (reached.has(file) || !existsSync(file)) return;
    reached.add(file);
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)['"]/g))
      follow(resolveDeclarations(file, target));
  };
  for (const entry of entryFiles()) follow(join(out, entry));
  return [...reached].toSorted();
}

/** The declarations in a file without comments and private members, which are not part of the interface. */
function publicDeclarations(file: string): string {
  return readFileSync(file, 'utf8')
    .replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replaceAll(/^\s*(\/\/.*|#private;)\n/gm, '');
}

function exportedTypes(file: string): readonly (readonly [name: string, text: string])[] {
  const source = readFileSync(file, 'utf8');
  const declarations = source.matchAll(
    /^export (?:declare )?(?:abstract )?(?:interface|class) (\w+)[\s\S]*?^\}/gm,
  );
  return [...declarations].map(([text, name = '']) => [name, text]);
}

/** The interfaces and classes that users import from a file by name, directly or through re-exports. */
function importableTypes(file: string): readonly (readonly [name: string, text: string])[] {
  const source = readFileSync(file, 'utf8');
  const reexports = source.matchAll(/^export (?:type )?(?:\{([^}]*)\}|\*) from '(\.[^']+)'/gm);
  return [
    ...exportedTypes(file),
    ...[...reexports].flatMap(([, list, target = '']) => {
      const names = list?.match(/\w+/g);
      return importableTypes(resolveDeclarations(file, target)).filter(
        ([name]) => names?.includes(name) ?? true,
      );
    }),
  ];
}

/** The public members without a docstring. The docstring of a member covers what is nested in it. */
function undocumentedMembers(text: string): readonly string[] {
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
  // The static check finds type errors; finding them here as well would take twice as long.
  const flags = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--noCheck', '--outDir', out];
  execFileSync(process.execPath, [compiler, ...flags], { cwd: root, stdio: 'inherit' });
});

afterAll(() => rmSync(out, { recursive: true, force: true }));

test('the public types are those of the snapshot; `npx vitest run scripts/checks/public-types.slow.test.ts --update` accepts a change', async () => {
  const files = reachableFiles(out);
  expect(files).toEqual(expect.arrayContaining(entryFiles().map((entry) => join(out, entry))));
  const text = files.map((file) => `// ${relative(out, file)}\n${publicDeclarations(file)}`).join('\n');
  await expect(text).toMatchFileSnapshot('public-types.snapshot.txt');
});

test('each member of an interface or class that users import by name has a docstring', () => {
  const types = entryFiles().flatMap((entry) => importableTypes(join(out, entry)));
  const names = types.map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(['Report', 'Scenario', 'Replayer', 'Call', 'Collector']));
  expect(types.flatMap(([type, text]) => undocumentedMembers(text).map((name) => `${type}.${name}`))).toEqual(
    [],
  );
});
