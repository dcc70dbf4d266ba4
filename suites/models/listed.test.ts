import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { modelsRetrieveAsListed } from './listed.requirements.ts';

const modelsRetrieveListedIsFound = requirementFromRow('models.retrieve.listed-is-found');

const models = { object: 'list', data: [{ id: 'm', object: 'model', created: 1, owned_by: 'a' }] };
const notFound = { status: 404, json: { error: { message: 'The model does not exist.' } } };

test('a list that arrives while a model is retrieved does not hide the previous one', () => {
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { json: models });
  trace.add('listModels', {}, { json: models });
  trace.add('retrieveModel', { path: { model: 'm' }, after: 1 }, notFound);
  const { observations, violations } = judgeRequirement(modelsRetrieveListedIsFound, trace.exchanges);
  expect([observations, violations.length]).toEqual([1, 1]);
});

test('a request that was sent before the list arrived need not find the model', () => {
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { json: models });
  trace.add('retrieveModel', { path: { model: 'm' }, after: 0 }, notFound);
  expect(judgeRequirement(modelsRetrieveListedIsFound, trace.exchanges).observations).toBe(0);
});

test('a model that was deleted while the list was in flight need not be found', () => {
  const trace = new TraceBuilder();
  trace.add('deleteModel', { path: { model: 'm' } }, { json: { id: 'm', object: 'model', deleted: true } });
  trace.add('listModels', { after: 0 }, { json: models });
  trace.add('retrieveModel', { path: { model: 'm' } }, notFound);
  expect(judgeRequirement(modelsRetrieveListedIsFound, trace.exchanges).observations).toBe(0);
});

test('a request whose response overtook that of a deletion need not find the model', () => {
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { json: models });
  trace.add('retrieveModel', { path: { model: 'm' } }, notFound);
  trace.add(
    'deleteModel',
    { path: { model: 'm' }, after: 1 },
    { json: { id: 'm', object: 'model', deleted: true } },
  );
  expect(judgeRequirement(modelsRetrieveListedIsFound, trace.exchanges).observations).toBe(0);
});

test('a model that is listed again after a deletion must be found', () => {
  const trace = new TraceBuilder();
  trace.add('deleteModel', { path: { model: 'm' } }, { json: { id: 'm', object: 'model', deleted: true } });
  trace.add('listModels', {}, { json: models });
  trace.add('retrieveModel', { path: { model: 'm' } }, notFound);
  const { observations, violations } = judgeRequirement(modelsRetrieveListedIsFound, trace.exchanges);
  expect([observations, violations.length]).toEqual([1, 1]);
});

test.each([
  ['another id', { id: 'other' }, 1],
  ['a longer name', { id: 'm-0613', created: 7 }, 0],
  ['a longer name and another owner', { id: 'm-0613', owned_by: 'b' }, 1],
  ['another time', { created: 7 }, 1],
  ['the same values', {}, 0],
])('a listed model is compared with the one that is retrieved with %s', (_, change, expected) => {
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { json: models });
  trace.add('retrieveModel', { path: { model: 'm' } }, { json: { ...models.data[0], ...change } });
  const { observations, violations } = judgeRequirement(modelsRetrieveAsListed, trace.exchanges);
  expect([observations, violations.length]).toEqual([1, expected]);
});
