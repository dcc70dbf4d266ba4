import { expect, test } from 'vitest';
import { inAnswer } from '../edit/breaks.ts';
import { put } from '../edit/values.ts';
import { get } from '../json.ts';
import type { Choice } from '../requirement.ts';
import { schemaSection } from '../schema/section.ts';
import { type AnswerEvidence, answers } from '../selectors/answers.ts';
import { catalogueOf, FILE, green, NAMED } from '../testing/green.ts';
import { headerOf, TraceBuilder } from '../testing/trace.ts';
import { greenTrace } from './green.ts';
import { isSound } from './proof.ts';
import { NotGreen, prove } from './prove.ts';

test('every requirement that a green trace shows objects when it is broken, and to nothing else', () => {
  const proof = prove(catalogueOf(NAMED), green());
  expect(proof.survived).toEqual([]);
  expect(proof.accused).toEqual([]);
  expect(proof.killed).toBe(proof.mutants);
  expect(proof.requirements['files.test.named']).toEqual({ mutants: 1, killed: 1, by: { empty: 1 } });
  expect(proof.requirements['retrieveFile:path.file_id#unknown.rejected']?.by).toEqual({ accepted: 1 });
  expect(proof.requirements['file:bytes#type']?.by).toEqual({ null: 1, 'wrong type': 2 });
  expect(proof.unproved).toContainEqual({ requirement: 'model:id#type', cause: { kind: 'no-evidence' } });
});

test('a requirement that sleeps is told', () => {
  const asleep = { ...NAMED, check: () => [] };
  const { survived } = prove(catalogueOf(asleep), green());
  expect(survived).toContainEqual({
    requirement: NAMED.id,
    mutant: 'empty',
    why: 'the requirement does not object',
  });
});

test('a break that applies to nothing is no proof', () => {
  const vain = { ...NAMED, breaks: { elsewhere: inAnswer('listModels', put('/data', [])) } };
  const { survived } = prove(catalogueOf(vain), green());
  expect(survived).toContainEqual({
    requirement: NAMED.id,
    mutant: 'elsewhere',
    why: 'it applies to nothing in the trace',
  });
});

test('a kind that cannot be made is told, unless there is an exception for it that has not expired', () => {
  const sections = [schemaSection()].map((section) => ({
    ...section,
    mutants: () =>
      [...section.mutants(greenTrace(green(), new Set(['file:bytes#type'])))].filter(
        ({ kind }) => kind !== 'null',
      ),
  }));
  const catalogue = { ...catalogueOf(), sections };
  const only = (id: string) => id === 'file:bytes#type';
  const lacking = {
    requirement: 'file:bytes#type',
    mutant: 'null',
    why: 'no mutant of this kind could be made',
  };
  expect(prove(catalogue, green(), { only }).survived).toEqual([lacking]);
  const exception = { id: 'file:bytes#*', kind: 'null', reason: 'a test', expires: '2030-01-01' };
  const excused = (today: string) =>
    prove({ ...catalogue, proofExceptions: [exception] }, green(), { only, today });
  expect(excused('2029-12-31')).toMatchObject({
    survived: [],
    exceptions: [{ requirement: 'file:bytes#type', kind: 'null', reason: 'a test', expires: '2030-01-01' }],
  });
  expect(excused('2030-01-01').survived).toEqual([lacking]);
});

test('an exception that nothing needs is told', () => {
  const proofExceptions = [{ id: NAMED.id, kind: 'empty', reason: 'a test', expires: null }];
  const proof = prove({ ...catalogueOf(NAMED), proofExceptions }, green());
  expect(proof.stale).toEqual([`${NAMED.id} empty`]);
  expect(isSound(proof)).toBe(false);
});

test('a check that throws kills nothing', () => {
  const check: typeof NAMED.check = ({ answer }) => {
    if (get(answer, 'filename') === '') throw new Error('oops');
    return [];
  };
  const { survived } = prove(catalogueOf({ ...NAMED, check }), green());
  expect(survived[0]).toMatchObject({ requirement: NAMED.id, why: 'our check threw: Error: oops' });
});

test('a requirement that minds unknown fields is told', () => {
  const check: typeof NAMED.check = ({ answer }) =>
    get(answer, 'x_unknown_field') === undefined && get(answer, 'filename') !== ''
      ? []
      : [{ at: '', expected: 'nothing new', actual: answer }];
  const { accused } = prove(catalogueOf({ ...NAMED, check }), green());
  expect(accused.map(({ change }) => change)).toEqual(['an unknown field in every object']);
});

test('an example of a choice that the choice does not notice is told', () => {
  const choice: Choice<AnswerEvidence> = {
    id: 'files.test.name',
    spec: '2 File',
    says: 'Whether a file has a name.',
    alternatives: ['named', 'nameless'],
    on: answers('retrieveFile'),
    taken: ({ answer }) => (get(answer, 'filename') === '' ? 'nameless' : 'named'),
    examples: { nameless: inAnswer('retrieveFile', put('/filename', '')) },
  };
  const blind = { ...choice, id: 'files.test.blind', taken: () => 'named' };
  const { survived } = prove({ ...catalogueOf(NAMED), choices: [choice, blind] }, green());
  const why = 'the choice does not notice';
  expect(survived).toEqual([{ requirement: 'files.test.blind', mutant: 'example of nameless', why }]);
});

test('a trace with findings is refused', () => {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', {}, { json: { ...FILE, bytes: null } });
  expect(() => prove(catalogueOf(), { header: headerOf(), items: trace.exchanges })).toThrow(NotGreen);
});
