import { expect, test } from 'vitest';
import { Body } from '../../exchange/http/body.ts';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { filesUploadFilename } from './choices.requirements.ts';
import { filesListTellsRetrieved } from './list.requirements.ts';
import {
  filesContentAsSent,
  filesContentBytesAreSize,
  filesUploadFilenameCharacters,
} from './upload.requirements.ts';

const filesListPurposeFilter = requirementFromRow('files.list.purpose-filter');

function upload(trace: TraceBuilder, sent: string, reported = sent): void {
  const form = [
    { name: 'purpose', value: 'batch' },
    { name: 'file', filename: sent, value: 'one line\n' },
  ];
  trace.add('createFile', { form }, { json: { id: 'file-1', filename: reported, purpose: 'batch' } });
}

test.each([
  ['lines.jsonl', 'lines.jsonl', 'as sent'],
  ['lines.jsonl', 'other.jsonl', 'another'],
  ['lines.jsonl', 'folder/lines.jsonl', 'another'],
  // A service may drop the folders of a name, and undo the escaping of the sender.
  ['folder/lines.jsonl', 'lines.jsonl', 'as sent'],
  ['folder/lines.jsonl', 'folder/lines.jsonl', 'as sent'],
  ['folder/lines.jsonl', 'other.jsonl', 'another'],
  ['a%22b.jsonl', 'a"b.jsonl', 'as sent'],
])('a file sent as %s and shown as %s has a filename that is "%s"', (sent, reported, taken) => {
  const trace = new TraceBuilder();
  upload(trace, sent, reported);
  expect(takenAlternatives(filesUploadFilename, trace.exchanges)).toEqual([taken]);
});

test.each([
  [200, 1],
  [206, 0],
])('partial content with the status %i gives %i violations', (status, violationCount) => {
  const trace = new TraceBuilder();
  upload(trace, 'lines.jsonl');
  trace.add('retrieveFileContent', { path: { file_id: 'file-1' } }, { status, text: 'one', headers: [] });
  expect(judgeRequirement(filesContentAsSent, trace.exchanges).violations).toHaveLength(violationCount);
});

test('content that the recording lacks does not violate files.content.as-sent', () => {
  const trace = new TraceBuilder();
  upload(trace, 'lines.jsonl');
  const path = { file_id: 'file-1' };
  const download = trace.add('retrieveFileContent', { path }, { text: 'one line\n', headers: [] });
  if (download.response === null) throw new Error('The trace has no response.');
  const response = { ...download.response, body: Body.unknown() };
  const exchanges = [...trace.exchanges.slice(0, -1), { ...download, response }];
  expect(judgeRequirement(filesContentAsSent, exchanges)).toEqual({ observations: 1, violations: [] });
});

test('a list that is requested with an empty purpose may contain files of any purpose', () => {
  const trace = new TraceBuilder();
  trace.add('listFiles', { query: { purpose: '' } }, { json: { data: [{ id: 'a', purpose: 'batch' }] } });
  expect(judgeRequirement(filesListPurposeFilter, trace.exchanges).violations).toEqual([]);
});

test('a retrieved file must be listed, unless it was deleted or the list has a filter for another purpose', () => {
  const path = { file_id: 'file-out' };
  const countViolations = (query: Readonly<Record<string, string>>, deletes: boolean): number => {
    const trace = new TraceBuilder();
    trace.add('retrieveFile', { path }, { json: { id: 'file-out', purpose: 'batch_output' } });
    if (deletes) trace.add('deleteFile', { path }, { json: { id: 'file-out', deleted: true } });
    trace.add('listFiles', { query }, { json: { object: 'list', data: [] } });
    return judgeRequirement(filesListTellsRetrieved, trace.exchanges).violations.length;
  };
  expect(countViolations({}, false)).toBe(1);
  expect(countViolations({ purpose: 'batch_output' }, false)).toBe(1);
  expect(countViolations({ purpose: 'batch' }, false)).toBe(0);
  expect(countViolations({}, true)).toBe(0);
});

test.each([
  ['Grüße 東京.txt', 'Grüße 東京.txt', 0],
  ['Grüße 東京.txt', 'Grusse.txt', 0],
  ['e\u0301.txt', '\u00e9.txt', 0],
  ['odd \u{FFFD}.txt', 'odd \u{FFFD}.txt', 0],
  ['Grüße 東京.txt', 'Gr\u{FFFD}\u{FFFD}e.txt', 1],
  ['Grüße.txt', Buffer.from('Grüße.txt').toString('latin1'), 1],
])('a file named %s and shown as %s gives %i violations', (sent, shown, violationCount) => {
  const trace = new TraceBuilder();
  upload(trace, sent, shown);
  const { violations } = judgeRequirement(filesUploadFilenameCharacters, trace.exchanges);
  expect(violations).toHaveLength(violationCount);
});

test.each([
  ['as many bytes as stated', 200, 'Grüße', 1, 0],
  ['fewer bytes than stated', 200, 'Grusse', 1, 1],
  ['only a part of its bytes', 206, 'G', 0, 0],
])(
  'the size of a file that the service wrote is compared with its download: %s',
  (_, status, text, observations, violationCount) => {
    const trace = new TraceBuilder();
    const path = { file_id: 'file-out' };
    trace.add('retrieveFile', { path }, { json: { id: 'file-out', bytes: 7, purpose: 'batch_output' } });
    trace.add('retrieveFileContent', { path }, { status, text, headers: [] });
    const result = judgeRequirement(filesContentBytesAreSize, trace.exchanges);
    expect([result.observations, result.violations.length]).toEqual([observations, violationCount]);
  },
);
