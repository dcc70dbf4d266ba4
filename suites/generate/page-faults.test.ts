import { expect, test } from 'vitest';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { pageRequirements } from './lists.requirements.ts';

const store = (id: string, created_at: number) => ({ id, object: 'vector_store', created_at });
const page = (data: readonly ReturnType<typeof store>[], has_more: boolean) => ({
  object: 'list',
  data,
  has_more,
});

function findRequirement(id: string) {
  const rule = pageRequirements.find((one) => one.id === id);
  if (rule === undefined) throw new Error(`There is no ${id}.`);
  return rule;
}

function judgePages(last: { readonly query: Readonly<Record<string, string>>; readonly has_more: boolean }) {
  const trace = new TraceBuilder();
  const beta = 'assistants=v2';
  trace.add(
    'listVectorStores',
    { beta, query: { order: 'desc' } },
    { json: page([store('vs_b', 2), store('vs_a', 1)], false) },
  );
  trace.add('listVectorStores', { beta, query: last.query }, { json: page([], last.has_more) });
  const { observations, violations } = judgeRequirement(
    findRequirement('listVectorStores.page.has-more'),
    trace.exchanges,
  );
  return [observations, violations.map(({ at }) => at)];
}

test('an empty page after the oldest element does not say that another page follows', () => {
  const query = { order: 'desc', after: 'vs_a' };
  expect(judgePages({ query, has_more: true })).toEqual([1, ['/has_more']]);
  expect(judgePages({ query, has_more: false })).toEqual([1, []]);
});

test('a page that is empty because of its limit or its unknown cursor may say that another page follows', () => {
  expect(judgePages({ query: { order: 'desc', after: 'vs_a', limit: '0' }, has_more: true })[1]).toEqual([]);
  expect(judgePages({ query: { order: 'desc', after: 'vs_none' }, has_more: true })[1]).toEqual([]);
});

test('an empty page of a list with a filter does not say that another page follows', () => {
  const rule = findRequirement('listVectorStoreFiles.page.has-more');
  const trace = new TraceBuilder();
  for (const has_more of [true, false])
    trace.add('listVectorStoreFiles', { query: { filter: 'failed' } }, { json: page([], has_more) });
  const { observations, violations } = judgeRequirement(rule, trace.exchanges);
  expect([observations, violations.map(({ at }) => at)]).toEqual([2, ['/has_more']]);
});

test('a page may start the list again if the filter no longer matches the element of its cursor', () => {
  const rule = findRequirement('listVectorStoreFiles.page.after');
  const trace = new TraceBuilder();
  const query = { filter: 'in_progress', order: 'asc' };
  const [first, second] = [store('file-a', 1), store('file-b', 2)];
  trace.add(
    'listVectorStoreFiles',
    { query: { ...query, limit: '2' } },
    { json: page([first, second], true) },
  );
  trace.add('listVectorStoreFiles', { query: { ...query, after: 'file-b' } }, { json: page([first], false) });
  expect(judgeRequirement(rule, trace.exchanges).violations).toEqual([]);
});

test.each(['0', '-1'])('a page with limit %s is no evidence about the elements that it lacks', (limit) => {
  const [first, second] = [store('file-a', 1), store('file-b', 2)];
  const trace = new TraceBuilder();
  const query = { order: 'asc' };
  trace.add('listVectorStoreFiles', { query }, { json: page([first, second], false) });
  trace.add('listVectorStoreFiles', { query: { ...query, limit: '1' } }, { json: page([first], true) });
  trace.add(
    'listVectorStoreFiles',
    { query: { ...query, after: 'file-a', limit } },
    { json: page([], false) },
  );
  for (const rule of ['after', 'closure', 'has-more'])
    expect(
      judgeRequirement(findRequirement(`listVectorStoreFiles.page.${rule}`), trace.exchanges).violations,
    ).toEqual([]);
});
