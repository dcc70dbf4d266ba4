import { expect, test } from 'vitest';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { filesUploadFilename } from './choices.requirements.ts';
import { filesListPurposeFilter } from './list.requirements.ts';
import { filesContentAsSent } from './upload.requirements.ts';

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
  expect(takenAlternatives(filesUploadFilename, trace.exchanges)).toEqual([taken]);
});

test.each([
  [200, 1],
  [206, 0],
])('content with the status %i that is a part of a file is objected to %i times', (status, times) => {
  const trace = new TraceBuilder();
  upload(trace, 'lines.jsonl');
  trace.add('retrieveFileContent', { path: { file_id: 'file-1' } }, { status, text: 'one', headers: [] });
  expect(judgeRequirement(filesContentAsSent, trace.exchanges).violations).toHaveLength(times);
});

test('a purpose without a letter may be no filter', () => {
  const trace = new TraceBuilder();
  trace.add('listFiles', { query: { purpose: '' } }, { json: { data: [{ id: 'a', purpose: 'batch' }] } });
  expect(judgeRequirement(filesListPurposeFilter, trace.exchanges).violations).toEqual([]);
});
