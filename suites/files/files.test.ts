import { expect, test } from 'vitest';
import { alternatives, hear } from '../../judge/testing/hear.ts';
import { TraceBuilder } from '../../judge/testing/trace.ts';
import { filename } from './choices.requirements.ts';
import { filtered } from './list.requirements.ts';
import { content } from './upload.requirements.ts';

function upload(trace: TraceBuilder, sent: string, told = sent): void {
  const form = [
    { name: 'purpose', value: 'batch' },
    { name: 'file', filename: sent, value: 'one line\n' },
  ];
  trace.add('createFile', { form }, { json: { id: 'file-1', filename: told, purpose: 'batch' } });
}

test.each([
  ['lines.jsonl', 'lines.jsonl', 'as sent'],
  ['lines.jsonl', 'other.jsonl', 'another'],
  ['lines.jsonl', 'folder/lines.jsonl', 'another'],
  // A recipient of a form is to drop folders, and may undo what senders escape.
  ['folder/lines.jsonl', 'lines.jsonl', 'as sent'],
  ['folder/lines.jsonl', 'folder/lines.jsonl', 'as sent'],
  ['folder/lines.jsonl', 'other.jsonl', 'another'],
  ['a%22b.jsonl', 'a"b.jsonl', 'as sent'],
])('of a file sent as %s the name %s is %s', (sent, told, taken) => {
  const trace = new TraceBuilder();
  upload(trace, sent, told);
  expect(alternatives(filename, trace.exchanges)).toEqual([taken]);
});

test.each([
  [200, 1],
  [206, 0],
])('content with the status %i that is a part of a file is objected to %i times', (status, times) => {
  const trace = new TraceBuilder();
  upload(trace, 'lines.jsonl');
  trace.add('retrieveFileContent', { path: { file_id: 'file-1' } }, { status, text: 'one', headers: [] });
  expect(hear(content, trace.exchanges).complaints).toHaveLength(times);
});

test('a purpose without a letter may be no filter', () => {
  const trace = new TraceBuilder();
  trace.add('listFiles', { query: { purpose: '' } }, { json: { data: [{ id: 'a', purpose: 'batch' }] } });
  expect(hear(filtered, trace.exchanges).complaints).toEqual([]);
});
