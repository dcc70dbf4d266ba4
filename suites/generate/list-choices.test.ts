import { expect, test } from 'vitest';
import { takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { listsBeforeWhichEnd, listsCursorBoth } from './list-choices.requirements.ts';

const path = { assistant_id: 'asst_1' };

function addPage(trace: TraceBuilder, query: Readonly<Record<string, string>>, ids: string): void {
  const data = [...ids].map((id) => ({ id, created_at: id.charCodeAt(0) }));
  const json = { data, has_more: false };
  trace.add('listAssistantFiles', { path, query: { order: 'asc', ...query } }, { json });
}

test.each([
  ['c', {}, ['what lies between']],
  ['cd', { limit: '2' }, []],
  ['c', { limit: '1' }, []],
  ['cde', {}, ['as without before']],
  ['abc', {}, ['as without after']],
])('the page %j after b and before d with %j shows %j', (ids, query, expected) => {
  const trace = new TraceBuilder();
  addPage(trace, {}, 'abcde');
  addPage(trace, { after: 'b', before: 'd', ...query }, ids);
  expect(takenAlternatives(listsCursorBoth, trace.exchanges)).toEqual(expected);
});

function takenBeforeD(ids: string, change: (trace: TraceBuilder) => void = () => {}): readonly string[] {
  const trace = new TraceBuilder();
  addPage(trace, {}, 'abcde');
  change(trace);
  addPage(trace, { before: 'd', limit: '2' }, ids);
  return takenAlternatives(listsBeforeWhichEnd, trace.exchanges);
}

test.each([
  ['bc', ['nearest to the cursor']],
  ['ab', ['first of the list']],
])('the page %j before d shows %j, but nothing if an element was added or replaced', (ids, expected) => {
  const addFile = (trace: TraceBuilder) =>
    trace.add(
      'createAssistantFile',
      { path, body: { file_id: 'f' } },
      { json: { id: 'f', created_at: 102 } },
    );
  const replaceFile = (trace: TraceBuilder) => {
    const deletion = { path: { ...path, file_id: 'e' } };
    trace.add('deleteAssistantFile', deletion, { json: { id: 'e', deleted: true } });
    addFile(trace);
  };
  expect(takenBeforeD(ids)).toEqual(expected);
  expect(takenBeforeD(ids, addFile)).toEqual([]);
  expect(takenBeforeD(ids, replaceFile)).toEqual([]);
});
