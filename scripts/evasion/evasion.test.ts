// Small traces: the proof itself is `npm run prove:evasion`.
import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import { TraceBuilder, testTraceHeader } from '../../judge/testing/trace-builder.ts';
import { hiddenAnswers, hiddenTrace } from './hidden-answers.ts';
import { distinctRequests, recordedRun } from './recorded-run.ts';
import { refusedTrace } from './refused-trace.ts';
import { requestIdentity } from './request-identity.ts';

const HEADER = testTraceHeader();
const V2 = { beta: 'assistants=v2' };
const [ONE, TWO] = ['thread_AAAAAAAAAAAAAAAAAAAAAAAA', 'thread_BBBBBBBBBBBBBBBBBBBBBBBB'];

/** Two threads that are created alike, each retrieved, and a list of files. */
function run() {
  const trace = new TraceBuilder();
  for (const id of [ONE, TWO]) {
    const body = { metadata: { made_by: `assay-0123456789-${id.length}` } };
    trace.add('createThread', { ...V2, body }, { json: { id, object: 'thread', metadata: { a: 'b' } } });
    trace.add('retrieveThread', { ...V2, path: { thread_id: id } }, { json: { id, object: 'thread' } });
  }
  const files = [
    { id: 'file-old', created_at: 1 },
    { id: 'file-new', created_at: 2 },
  ];
  trace.add('listFiles', {}, { json: { object: 'list', data: files } });
  const items: TraceItem[] = trace.exchanges.map((one) => ({ ...one, scenario: 'some' }));
  return recordedRun(HEADER, [...items, { after: 5, note: 'scenario-ended', scenario: 'some' }]);
}

function statuses(items: readonly TraceItem[]) {
  return items.map((item) => (isNote(item) ? item.note : `${item.id} ${item.response?.status}`));
}

test('requests that differ in identifiers alone are one', () => {
  const found = distinctRequests(run()).map(({ operation, exchanges }) => [operation, exchanges.length]);
  expect(found).toEqual([
    ['createThread', 2],
    ['retrieveThread', 2],
    ['listFiles', 1],
  ]);
});

test('requests that differ in a value, or in the header, are not', () => {
  const trace = new TraceBuilder();
  trace.add('createThread', { ...V2, body: { metadata: { a: '1' } } });
  trace.add('createThread', { ...V2, body: { metadata: { a: '2' } } });
  trace.add('createThread', { beta: 'assistants=v1', body: { metadata: { a: '1' } } });
  const identities = trace.exchanges.map(({ request }: Exchange) =>
    requestIdentity(request, HEADER.betaHeader),
  );
  expect(new Set(identities).size).toBe(3);
});

test('what names an object that was never created is taken out, and a blocked scenario ends with a note', () => {
  const recorded = run();
  const [create] = distinctRequests(recorded);
  const refused = new Set(create?.exchanges);
  expect(statuses(refusedTrace(recorded, refused, 'continues'))).toEqual([
    'e1 400',
    'e3 400',
    'e5 200',
    'scenario-ended',
  ]);
  const blocked = refusedTrace(recorded, refused, 'blocked');
  expect(statuses(blocked)).toEqual(['e1 400', 'e3 400', 'blocked', 'scenario-ended']);
  expect(blocked.find((item) => isNote(item) && item.note === 'blocked')).toMatchObject({
    scenario: 'some',
    by: 'e3',
  });
});

test('each object can be empty, each list too, and a list can lack its newest element', () => {
  const recorded = run();
  const all = hiddenAnswers(recorded);
  expect(all.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'empty-object createThread /',
    'empty-object createThread /metadata',
    'empty-object retrieveThread /',
    'empty-object listFiles /',
    'empty-object listFiles /data/*',
    'empty-page listFiles',
    'without-newest listFiles',
  ]);
  const answers = all.map((one) =>
    (hiddenTrace(recorded, one) ?? []).flatMap((item) => (isNote(item) ? [] : [item.response?.body.text])),
  );
  expect(answers[1]?.[0]).toBe(`{"id":"${ONE}","object":"thread","metadata":{}}`);
  expect(answers.at(-1)?.at(-1)).toBe('{"object":"list","data":[{"id":"file-old","created_at":1}]}');
});
