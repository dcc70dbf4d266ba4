import { expect, test } from 'vitest';
import type { TraceItem } from '../exchange/trace.ts';
import { type ResponseEvidence, responses } from '../judge/evidence/calls.ts';
import type { Choice } from '../judge/requirements/requirement.ts';
import { schemaRequirements } from '../judge/schema/response-evaluator.ts';
import { catalogueOf } from '../judge/testing/catalogue-of-sets.ts';
import { createCleanTrace, fileObject, NAME_REQUIREMENT } from '../judge/testing/clean-trace.ts';
import { TraceBuilder, testTraceHeader } from '../judge/testing/trace-builder.ts';
import { valueAtPath } from '../judge/trace/json.ts';
import { mutantsOf } from './mutants/mutants.ts';
import { isProofClean } from './mutation-report.ts';
import { inResponse } from './mutations/mutations.ts';
import { setValue } from './mutations/values.ts';
import { BaselineNotClean, runMutationTest } from './run.ts';

test('every requirement with evidence in a conforming trace fails when it is broken, and passes every equivalent mutant', () => {
  const report = runMutationTest(catalogueOf(NAME_REQUIREMENT), createCleanTrace());
  expect(report.survived).toEqual([]);
  expect(report.accused).toEqual([]);
  expect(report.killed).toBe(report.mutants);
  expect(report.requirements['files.test.named']).toEqual({ mutants: 1, killed: 1, by: { empty: 1 } });
  expect(report.requirements['retrieveFile:path.file_id#unknown.rejected']?.by).toEqual({ accepted: 1 });
  expect(report.requirements['file:bytes#type']?.by).toEqual({ null: 1, 'wrong type': 2 });
  expect(report.unproved).toContainEqual({ requirement: 'model:id#type', cause: { kind: 'no-evidence' } });
});

test('a surviving mutant is reported', () => {
  const insensitive = { ...NAME_REQUIREMENT, check: () => [] };
  const { survived } = runMutationTest(catalogueOf(insensitive), createCleanTrace());
  expect(survived).toContainEqual({
    requirement: NAME_REQUIREMENT.id,
    mutant: 'empty',
    why: 'the requirement does not fail',
  });
});

test('a mutation that applies to nothing in the trace is reported as a survivor', () => {
  const mutations = { elsewhere: inResponse('listModels', setValue('/data', [])) };
  const { survived } = runMutationTest(catalogueOf({ ...NAME_REQUIREMENT, mutations }), createCleanTrace());
  expect(survived).toContainEqual({
    requirement: NAME_REQUIREMENT.id,
    mutant: 'elsewhere',
    why: 'it applies to nothing in the trace',
  });
});

test('a kind of mutant that cannot be created is reported, unless an unexpired exception lists it', () => {
  const catalogue = { ...catalogueOf(), requirementSets: [schemaRequirements()] };
  const mutants: typeof mutantsOf = (set, baseline) =>
    [...mutantsOf(set, baseline)].filter(({ kind }) => kind !== 'null');
  const only = (id: string) => id === 'file:bytes#type';
  const missing = {
    requirement: 'file:bytes#type',
    mutant: 'null',
    why: 'no mutant of this kind could be created',
  };
  expect(runMutationTest(catalogue, createCleanTrace(), { only, mutants }).survived).toEqual([missing]);
  const exception = { id: 'file:bytes#*', kind: 'null', reason: 'a test', expires: '2030-01-01' };
  const runOn = (today: string) =>
    runMutationTest({ ...catalogue, exceptions: [exception] }, createCleanTrace(), { only, today, mutants });
  expect(runOn('2029-12-31')).toMatchObject({
    survived: [],
    exceptions: [{ requirement: 'file:bytes#type', kind: 'null', reason: 'a test', expires: '2030-01-01' }],
  });
  expect(runOn('2030-01-01').survived).toEqual([missing]);
});

test('an unused exception is reported', () => {
  const proofExceptions = [{ id: NAME_REQUIREMENT.id, kind: 'empty', reason: 'a test', expires: null }];
  const catalogue = { ...catalogueOf(NAME_REQUIREMENT), exceptions: proofExceptions };
  const report = runMutationTest(catalogue, createCleanTrace());
  expect(report.stale).toEqual([`${NAME_REQUIREMENT.id} empty`]);
  expect(isProofClean(report)).toBe(false);
});

test('a mutant on which the check throws is reported as a survivor', () => {
  const check: typeof NAME_REQUIREMENT.check = ({ answer }) => {
    if (valueAtPath(answer, 'filename') === '') throw new Error('oops');
    return [];
  };
  const { survived } = runMutationTest(catalogueOf({ ...NAME_REQUIREMENT, check }), createCleanTrace());
  expect(survived[0]).toMatchObject({
    requirement: NAME_REQUIREMENT.id,
    why: 'the check threw: Error: oops',
  });
});

test('a requirement that fails on unknown fields is reported', () => {
  const check: typeof NAME_REQUIREMENT.check = ({ answer }) =>
    valueAtPath(answer, 'x_unknown_field') === undefined && valueAtPath(answer, 'filename') !== ''
      ? []
      : [{ at: '', expected: 'nothing new', actual: answer }];
  const { accused } = runMutationTest(catalogueOf({ ...NAME_REQUIREMENT, check }), createCleanTrace());
  expect(accused.map(({ change }) => change)).toEqual(['an unknown field in every object']);
});

test('an equivalent mutant that only drops the last exchange is not reported as idle; one that changes nothing is', () => {
  const changes = [
    {
      name: 'the last one missing',
      apply: (items: readonly TraceItem[]) => items.slice(0, -1),
      blinds: true,
    },
    { name: 'nothing', apply: (items: readonly TraceItem[]) => [...items] },
  ];
  const { benign, idle } = runMutationTest(catalogueOf(NAME_REQUIREMENT), createCleanTrace(), { changes });
  expect({ benign, idle }).toEqual({ benign: 1, idle: ['nothing'] });
});

test('an example of a choice that the choice does not detect is reported', () => {
  const choice: Choice<ResponseEvidence> = {
    id: 'files.test.name',
    spec: '2 File',
    says: 'Whether a file has a name.',
    alternatives: ['named', 'nameless'],
    selector: responses('retrieveFile'),
    taken: ({ answer }) => (valueAtPath(answer, 'filename') === '' ? 'nameless' : 'named'),
    examples: { nameless: inResponse('retrieveFile', setValue('/filename', '')) },
  };
  const blind = { ...choice, id: 'files.test.blind', taken: () => 'named' };
  const naming: Choice<ResponseEvidence> = {
    ...choice,
    id: 'files.test.naming',
    unlisted: 'nameless',
    taken: ({ answer }) => (valueAtPath(answer, 'filename') === '' ? 'an empty one' : 'named'),
  };
  const choices = [choice, blind, naming];
  const { survived } = runMutationTest({ ...catalogueOf(NAME_REQUIREMENT), choices }, createCleanTrace());
  const why = 'the choice does not notice';
  expect(survived).toEqual([{ requirement: 'files.test.blind', mutant: 'example of nameless', why }]);
});

test('a trace with findings is rejected', () => {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', {}, { json: { ...fileObject, bytes: null } });
  expect(() => runMutationTest(catalogueOf(), { header: testTraceHeader(), items: trace.exchanges })).toThrow(
    BaselineNotClean,
  );
});
