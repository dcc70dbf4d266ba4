import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { messageOf } from '../../schemas/error-message.ts';
import { createAjv } from '../../schemas/index.ts';
import { pointerTokens } from '../../schemas/pointer.ts';
import { findDataFiles, SUITES } from '../data/family-data.ts';
import { catalogue } from '../index.ts';
import { responses } from '../vocabulary/selectors.ts';
import { type BrokenBy, compileMutation } from './edits.ts';
import { choiceOf, choiceRows, compileRequirement, requirementRows } from './rows.ts';

const files = [
  'requirements.json',
  'choices.json',
  'lists.json',
  'filters.json',
  'objects.json',
  'fields.json',
].flatMap(findDataFiles);

const validate = createAjv({ ajv: { strict: false } }).compile(
  JSON.parse(readFileSync(join(SUITES, 'rows/rows.schema.json'), 'utf8')),
);

test.each(files.map((file) => relative(SUITES, file)))('suites/%s matches the schema of rows', (file) => {
  const text = readFileSync(join(SUITES, file), 'utf8');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = validate(document.toJS()) ? [] : (validate.errors ?? []);
  const messages = problems.map(({ instancePath, message, params }) => {
    const node = document.getIn(pointerTokens(instancePath), true);
    const line = isNode(node) ? lines.linePos(node.range?.[0] ?? 0).line : 0;
    return `suites/${file}:${line}: ${message} ${JSON.stringify(params)}`;
  });
  expect(messages).toEqual([]);
});

test('every row of a choice is a choice of the catalogue', async () => {
  const known = new Set((await catalogue('both')).choices.map(({ id }) => id));
  expect([...choiceRows().keys()].filter((id) => !known.has(id))).toEqual([]);
});

test('every row of a requirement is a requirement of the catalogue', async () => {
  const known = new Set(
    (await catalogue('both')).requirementSets.flatMap(({ requirements }) => requirements.map(({ id }) => id)),
  );
  expect([...requirementRows().keys()].filter((id) => !known.has(id))).toEqual([]);
});

test('no two rows have the same id', () => {
  const ids = ['requirements.json', 'choices.json'].flatMap(findDataFiles).flatMap((path): string[] => {
    const { requirements, choices } = JSON.parse(readFileSync(path, 'utf8'));
    return requirements?.map(({ id }: { readonly id: string }) => id) ?? Object.keys(choices);
  });
  expect(ids.toSorted()).toEqual([...requirementRows().keys(), ...choiceRows().keys()].toSorted());
});

/** Errors of edits that do not compile, which a run would find only when it applies them. */
function findCompileErrors(id: string, edits: BrokenBy | undefined): readonly string[] {
  return Object.entries(edits ?? {}).flatMap(([name, edit]) => {
    if (typeof edit === 'function') return [];
    try {
      compileMutation(edit);
      return [];
    } catch (error) {
      return [`${id}: ${name}: ${messageOf(error)}`];
    }
  });
}

test('every edit of a row compiles', () => {
  const requirements = [...requirementRows()].map(([id, { row }]) => [id, row.broken_by] as const);
  const choices = [...choiceRows()].map(([id, { row }]) => [id, row.examples] as const);
  expect([...requirements, ...choices].flatMap(([id, edits]) => findCompileErrors(id, edits))).toEqual([]);
});

test('an edit with an unknown word does not compile', () => {
  const wrong = {
    in: 'listModels',
    where: { 'answer.data': { colour: 'red' } },
    set: { '/object': 'x' },
  } as never;
  expect(findCompileErrors('models.list.colour', { red: wrong })).toEqual([
    'models.list.colour: red: unknown test: colour',
  ]);
});

test('a choice without a row is rejected', () => {
  const code = { selector: responses('listModels'), taken: () => null };
  expect(() => choiceOf('models.list.colour', code)).toThrow('No choices.json has models.list.colour.');
});

test('an expectation with an unknown word is rejected', () => {
  const row = {
    id: 'models.list.colour',
    must: 'Models have a colour.',
    basis: 'stated',
    given: { answer: 'listModels' },
    expect: { 'answer.data[].colour': { colour: 'red' } },
    broken_by: { white: { in: 'listModels', remove: ['/data/0/colour'] } },
  } as const;
  expect(() => compileRequirement(row as never)).toThrow('unknown test: colour');
});
