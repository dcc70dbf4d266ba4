import { expect, test } from 'vitest';
import { duplicateNames, glossaryProblems } from './names.ts';

test('a name that two files export is reported; agreed duplicates are not', () => {
  const sources = new Map([
    ['a/x.ts', 'export class Lane {}'],
    ['b/x.ts', 'const y = 1;\nexport interface Lane {}\nexport { y };'],
    ['c/y.ts', 'export const y = 2;'],
    ['reference/a/a.routes.ts', 'export const routes = 1;'],
    ['reference/b/b.routes.ts', 'export const routes = 2;'],
  ]);
  expect(duplicateNames(sources)).toEqual([
    'Lane is exported by a/x.ts, b/x.ts: name each after its meaning',
  ]);
});

test('the glossary has a row for every exported type, and none for others', () => {
  const glossary = '| `Exchange` | One. |\n| `Gone` | Two. |\n';
  const index =
    "export type { Exchange, Note } from './Types.ts';\nexport { type NoteOptions, read } from './x.ts';";
  expect(glossaryProblems(glossary, new Map([['index.ts', index]]))).toEqual([
    'docs/glossary.md: Gone is not in use',
    'Note of index.ts is missing in docs/glossary.md',
  ]);
});
