import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { duplicateNames } from './exported-names.ts';
import { folderReadmes } from './folder-readme.ts';
import { largeFolders, sparseComments } from './folders.ts';
import { booleanParameters, longFunctions, manyParameters } from './functions.ts';
import { glossary } from './glossary.ts';
import { importCycles } from './import-cycles.ts';
import { allowedBy } from './limits.ts';
import type { CheckResult } from './problem.ts';
import { commentProse, publicProse } from './prose.ts';
import { repeatedLines } from './repeated-lines.ts';
import { parseSource, type Source } from './sources.ts';
import { testFiles } from './test-files.ts';

const sources = (files: Readonly<Record<string, string>>): Source[] =>
  Object.entries(files).map(([file, text]) => parseSource(file, text));

const places = ({ violations }: CheckResult): string[] =>
  violations.map(({ file, line }) => `${file}:${line}`);

test('a circle of imports is found once, also through types, re-exports and import()', () => {
  const found = importCycles(
    sources({
      'a/one.ts': "import type { Two } from './two.ts';\nexport type One = Two;",
      'a/two.ts': "export const z = 1;\nexport * from '../b/three.ts';",
      'b/three.ts': "export const x = () => import('../a/one.ts');\nexport type Two = 1;",
      'b/four.ts': "import { z } from '../a/two.ts';\nexport const y = z;",
    }),
  );
  expect(found.violations.map(({ problem }) => problem)).toEqual([
    'import cycle: a/one.ts → a/two.ts → b/three.ts → a/one.ts',
  ]);
});

test('twelve equal lines in two suites are found once, whatever their indentation', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `use(${i});`);
  const found = repeatedLines(
    sources({
      'suites/a.ts': lines(13).join('\n'),
      'suites/b.ts': [
        "import 'c';",
        '// A comment.',
        'if (true) {',
        ...lines(13).map((one) => `  ${one}`),
        '}',
      ].join('\n'),
      'suites/c.ts': lines(11).join('\n'),
      'judge/d.ts': lines(13).join('\n'),
    }),
  );
  expect(places(found)).toEqual(['suites/b.ts:4']);
});

describe('tests', () => {
  const found = (files: Readonly<Record<string, string>>) => places(testFiles(sources(files)));

  test('that start processes are slow by name, also where a module for tests starts them', () => {
    expect(
      found({
        'a/direct.test.ts': "import { spawn } from 'node:child_process';",
        'a/indirect.test.ts': "import { run } from './testing/one.ts';",
        'a/right.slow.test.ts': "import { run } from './testing/one.ts';",
        'a/type.test.ts': "import type { ChildProcess } from 'node:child_process';",
        'a/command.test.ts': "import { start } from './start.ts';",
        'a/start.ts': "import { spawn } from 'node:child_process';",
        'a/testing/one.ts': "export * from './two.ts';",
        'a/testing/two.ts': "import { build } from 'esbuild';",
      }),
    ).toEqual(['a/direct.test.ts:1', 'a/indirect.test.ts:1']);
  });

  test('share a process, so modules for them register hooks in functions', () => {
    const hook = 'beforeEach(() => {});';
    expect(
      found({
        'a/testing/wrong.ts': `const x = 1;\n${hook}`,
        'a/testing/right.ts': `export function fixture() { ${hook} }`,
        'a/a.test.ts': hook,
      }),
    ).toEqual(['a/testing/wrong.ts:2']);
  });

  test('are not tried again, and have at most 60 s', () => {
    expect(
      found({
        'a/a.test.ts': [
          "test('x', { timeout: 60_001 }, () => {});",
          "test.for([1])('x', () => {}, 90_000);",
          'beforeAll(() => {}, 60_000);',
          "test('x', { retry: 1 }, () => wait(1_000_000, { timeout: 99_000 }));",
        ].join('\n'),
        'vitest.config.ts': 'export default { test: {\n  testTimeout: 120_000,\n  hookTimeout: 60_000 } };',
      }),
    ).toEqual(['a/a.test.ts:1', 'a/a.test.ts:2', 'a/a.test.ts:4', 'vitest.config.ts:2']);
  });
});

describe('functions', () => {
  const body = (lines: number): string => `{\n${'  step();\n'.repeat(lines - 2)}}`;

  test('of 41 lines are too long, of 40 are not; tests may be longer', () => {
    const found = longFunctions(
      sources({
        'a/long.ts': `const x = 1;\nexport function f() ${body(41)}`,
        'a/short.ts': `export const f = () => ${body(40)};`,
        'a/long.test.ts': `export function f() ${body(60)}`,
      }),
    );
    expect(places(found)).toEqual(['a/long.ts:2']);
  });

  test('with five parameters are found in functions, methods and signatures', () => {
    const found = manyParameters(
      sources({
        'a.ts':
          'function f(a, b, c, d) {}\nclass C {\n  m(a, b, c, d, e) {}\n}\ninterface I {\n  m(a: 1, b: 1, c: 1, d: 1, e: 1): void;\n}',
      }),
    );
    expect(places(found)).toEqual(['a.ts:3', 'a.ts:6']);
  });

  test.each(['x: boolean', 'x?: boolean', 'x = true', 'private readonly x: boolean'])(
    'with the parameter %s take a boolean',
    (parameter) => {
      expect(
        places(booleanParameters(sources({ 'a.ts': `class C {\n  constructor(${parameter}) {}\n}` }))),
      ).toEqual(['a.ts:2']);
    },
  );

  test('that take booleans as named properties are fine', () => {
    const text = 'function f({ x }: { x: boolean }, y: string, z: Array<boolean>) {}';
    expect(places(booleanParameters(sources({ 'a.ts': text })))).toEqual([]);
  });
});

describe('folders', () => {
  test('hold at most 15 files beside tests and documents', () => {
    const files = Array.from({ length: 15 }, (_, i) => `a/f${i}.ts`);
    expect(places(largeFolders([...files, 'a/f1.test.ts', 'a/README.md']))).toEqual([]);
    expect(places(largeFolders([...files, 'a/more.ts']))).toEqual(['a:1']);
  });

  test('need comments on 15 % of their lines, unless they hold data', () => {
    const code = 'step();\n'.repeat(17);
    expect(places(sparseComments(sources({ 'a/x.ts': `// one\n// two\n${code}` })))).toEqual(['a:1']);
    expect(places(sparseComments(sources({ 'a/x.ts': `/* one\ntwo\nthree */\n${code}` })))).toEqual([]);
    expect(places(sparseComments(sources({ 'a/x.requirements.ts': code, 'a/x.test.ts': code })))).toEqual([]);
  });
});

describe('the README of a folder', () => {
  const folder = (files: Readonly<Record<string, string>>) => {
    const root = mkdtempSync(join(tmpdir(), 'assay-readme-'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    const { violations } = folderReadmes(root, Object.keys(files));
    rmSync(root, { recursive: true });
    return violations.map(({ file }) => file);
  };

  test('has two sentences in its first paragraph, or the main file has them in its head', () => {
    const source = 'export const x = 1;\n';
    const found = folder({
      'a/x.ts': source,
      'a/README.md': '# a\n\nReads `x.ts` and more. Begin with `x.ts`.\n',
      'b/b.ts': `// Writes files.\n// Nothing here reads them.\n${source}`,
      'c/x.ts': source,
      'c/README.md': '# c\n\nReads `x.ts` only.\n\nA second sentence. And a third one.\n',
      'd/x.ts': `// One sentence. Another one.\n${source}`,
    });
    expect(found).toEqual(['c', 'd']);
  });

  test('is not needed for tests, nor for families of suites', () => {
    expect(folder({ 'a/x.test.ts': '', 'a/testing/y.ts': '', 'suites/chat/z.suite.ts': '' })).toEqual([]);
  });
});

test('a name that two files export is found in both; names by agreement are not', () => {
  const found = duplicateNames(
    sources({
      'a/x.ts': 'export class Lane {}',
      'b/x.ts': 'const y = 1;\nexport interface Lane {}\nexport { y };',
      'reference/families/a.ts': 'export const routes = 1;',
      'reference/families/b.ts': 'export const routes = 2;',
    }),
  );
  expect(places(found)).toEqual(['a/x.ts:1', 'b/x.ts:2']);
});

describe('prose', () => {
  test.each([
    ['// What a caller gets.', 1],
    ['// The response a caller gets. What remains is dropped?', 0],
    ['/** Whether it is there.\n * Tells the ids. */', 1],
    ['// A file that is no JSON.\n// It is kept.', 1],
    ['// It is no longer open.', 0],
    ['const x = 1; // nobody reads it', 1],
  ])('of the comment %j has %i patterns', (text, count) => {
    expect(commentProse(sources({ 'a.ts': text })).violations).toHaveLength(count);
  });

  test('of messages, documents and schemas is public, that of tests, code blocks and samples is not', () => {
    const root = mkdtempSync(join(tmpdir(), 'assay-prose-'));
    try {
      const bad = 'It tells what nobody said.';
      const files: Readonly<Record<string, string>> = {
        'README.md': `# Title\n\n${bad}\n\n\`\`\`\n${bad}\n\`\`\`\n`,
        'reports/samples/x.md': bad,
        'schemas/objects/x.json': `{\n  "description": "${bad}"\n}`,
      };
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(join(root, file, '..'), { recursive: true });
        writeFileSync(join(root, file), text);
      }
      const code = `throw new Error('${bad}');`;
      const found = publicProse(root, Object.keys(files), sources({ 'a.ts': code, 'a.test.ts': code }));
      expect([...new Set(places(found))].sort()).toEqual([
        'README.md:3',
        'a.ts:1',
        'schemas/objects/x.json:2',
      ]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

test('the glossary names what is in use, and every type that the package exports', () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-glossary-'));
  try {
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/glossary.md'), '| `Exchange` | One. |\n| `Gone` | Two. |\n');
    const found = glossary(
      root,
      sources({
        'index.ts':
          "export type { Exchange, Note } from './x.ts';\nexport { type NoteOptions, read } from './x.ts';",
      }),
    );
    expect(found.violations.map(({ problem }) => problem)).toEqual([
      'Gone is not in use',
      'Note is not in docs/glossary.md',
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a ceiling holds until the goal is reached; a goal below one is a share', () => {
  expect(allowedBy({ goal: 0, ceiling: 7 }, undefined)).toEqual({ allowed: 7, goal: 0 });
  expect(allowedBy({ goal: 0.02, ceiling: 0 }, 250)).toEqual({ allowed: 5, goal: 5 });
  expect(allowedBy({ goal: 0 }, undefined)).toEqual({ allowed: 0, goal: 0 });
});
