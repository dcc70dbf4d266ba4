import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const GLOSSARY = 'docs/glossary.md';

/** Names that several files export by convention: their modules are found by file name. */
const SHARED_BY_CONVENTION: Readonly<Record<string, RegExp>> = {
  routes: /\.routes\.ts$/,
  evidence: /^suites\/[^/]+\/evidence\.ts$/,
  execute: /^cli\/commands\//,
  rows: /^bench\//,
};
/** Files whose exports are found by the name of the file, so that equal names do not matter. */
const FOUND_BY_FILE = /^suites\/.*(\.(requirements|suite|client)|\/(exclusions|equivalent-mutants))\.ts$/;

const EXPORTED =
  /^export (?:declare |abstract |async )*(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm;

function listDuplicateNames(sources: ReadonlyMap<string, string>): readonly string[] {
  const files = new Map<string, Set<string>>();
  for (const [file, text] of sources) {
    if (file.endsWith('.test.ts') || FOUND_BY_FILE.test(file)) continue;
    for (const [, name = ''] of text.matchAll(EXPORTED))
      if (!SHARED_BY_CONVENTION[name]?.test(file)) files.set(name, (files.get(name) ?? new Set()).add(file));
  }
  return [...files]
    .filter(([, places]) => places.size > 1)
    .map(([name, places]) => `${name} is exported by ${[...places].join(', ')}: name each after its meaning`);
}

function listGlossaryProblems(glossary: string, sources: ReadonlyMap<string, string>): readonly string[] {
  const terms = new Set([...glossary.matchAll(/^\| `(\w+)` \|/gm)].map(([, term = '']) => term));
  const words = new Set([...sources.values()].flatMap((text) => text.match(/\b[A-Z]\w+/g) ?? []));
  const index = (sources.get('index.ts') ?? '').replace(/from '.*';|\/\/.*|\/\*[\s\S]*?\*\//g, '');
  // Options, inputs and errors are named after the function that takes or throws them.
  const types = (index.match(/\b[A-Z]\w+/g) ?? []).filter((name) => !/(Options|Input|Error)$/.test(name));
  return [
    ...[...terms].filter((term) => !words.has(term)).map((term) => `${GLOSSARY}: ${term} is not in use`),
    ...types
      .filter((name) => !terms.has(name))
      .map((name) => `${name} of index.ts is missing in ${GLOSSARY}`),
  ];
}

test('a name that two files declare as an export is reported, unless it is shared by convention', () => {
  const sources = new Map([
    ['a/x.ts', 'export class Lane {}'],
    ['b/x.ts', 'const y = 1;\nexport interface Lane {}\nexport { y };'],
    ['c/y.ts', 'export const y = 2;'],
    ['reference/a/a.routes.ts', 'export const routes = 1;'],
    ['reference/b/b.routes.ts', 'export const routes = 2;'],
  ]);
  expect(listDuplicateNames(sources)).toEqual([
    'Lane is exported by a/x.ts, b/x.ts: name each after its meaning',
  ]);
});

test('an exported type without a row in the glossary is reported, and so is a row whose term occurs in no source', () => {
  const glossary = '| `Exchange` | One. |\n| `Gone` | Two. |\n';
  const index =
    "export type { Exchange, Note } from './Types.ts';\nexport { type NoteOptions, read } from './x.ts';";
  expect(listGlossaryProblems(glossary, new Map([['index.ts', index]]))).toEqual([
    'docs/glossary.md: Gone is not in use',
    'Note of index.ts is missing in docs/glossary.md',
  ]);
});

describe('in the project', () => {
  const listing = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], {
    encoding: 'utf8',
  });
  const files = listing.split('\n').filter((file) => !/^$|\.d\.ts$/.test(file) && existsSync(file));
  const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

  test('no two files export the same name, except by convention', () => {
    expect(listDuplicateNames(sources)).toEqual([]);
  });

  test('the glossary explains the types of index.ts, and each of its terms is in use', () => {
    expect(listGlossaryProblems(readFileSync(GLOSSARY, 'utf8'), sources)).toEqual([]);
  });
});
