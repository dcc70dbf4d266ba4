// Small traces: the proof itself is `npm run prove:evasion`.
import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import { TraceBuilder, testTraceHeader } from '../../judge/testing/trace-builder.ts';
import { affectedOperations } from './affected-operations.ts';
import { excuseUnstated } from './evasions.ts';
import { type HiddenAnswer, hiddenAnswers, hiddenTrace } from './hidden-answers.ts';
import { selectRequests } from './live-runs.ts';
import { distinctRequests, interpretRun } from './recorded-run.ts';
import { refusedTrace } from './refused-trace.ts';
import { requestIdentity } from './request-identity.ts';
import { unstatedContent } from './unstated.ts';

const HEADER = testTraceHeader();
const V2 = { beta: 'assistants=v2' };
const [ONE, TWO] = ['thread_AAAAAAAAAAAAAAAAAAAAAAAA', 'thread_BBBBBBBBBBBBBBBBBBBBBBBB'];

function recordRun() {
  const trace = new TraceBuilder();
  for (const [n, id] of [ONE, TWO].entries()) {
    const body = { metadata: { made_by: `assay-0123456789-${n}` } };
    trace.add('createThread', { ...V2, body }, { json: { id, object: 'thread', metadata: { a: 'b' } } });
    trace.add('retrieveThread', { ...V2, path: { thread_id: id } }, { json: { id, object: 'thread' } });
  }
  const files = [
    { id: 'file-old', created_at: 1 },
    { id: 'file-new', created_at: 2 },
  ];
  trace.add('listFiles', {}, { json: { object: 'list', data: files } });
  const items: TraceItem[] = trace.exchanges.map((one) => ({ ...one, scenario: 'some' }));
  return interpretRun(HEADER, [...items, { after: 5, note: 'scenario-ended', scenario: 'some' }]);
}

function listStatuses(items: readonly TraceItem[]) {
  return items.map((item) => (isNote(item) ? item.note : `${item.id} ${item.response?.status}`));
}

test('requests that differ only in identifiers count as one', () => {
  const requests = distinctRequests(recordRun()).map(({ operation, exchanges }) => [
    operation,
    exchanges.length,
  ]);
  expect(requests).toEqual([
    ['createThread', 2],
    ['retrieveThread', 2],
    ['listFiles', 1],
  ]);
});

test('requests to repeat live are selected once each, spread over the run', () => {
  const trace = new TraceBuilder();
  for (const a of 'abcdef') trace.add('createThread', { ...V2, body: { metadata: { a } } });
  const long = interpretRun(HEADER, trace.exchanges);
  const all = distinctRequests(long).map(({ identity }) => identity);
  for (const count of [0, 1, 4, 6, 9]) {
    const positions = selectRequests(long, 5, count).map(({ identity }) => all.indexOf(identity));
    expect(new Set(positions).size).toBe(Math.min(count, 6));
  }
  expect(selectRequests(long, 5, 3).map(({ identity }) => all.indexOf(identity))).toEqual([5, 1, 3]);
});

test('requests that differ in a value, or in the header, are distinct', () => {
  const trace = new TraceBuilder();
  trace.add('createThread', { ...V2, body: { metadata: { a: '1' } } });
  trace.add('createThread', { ...V2, body: { metadata: { a: '2' } } });
  trace.add('createThread', { beta: 'assistants=v1', body: { metadata: { a: '1' } } });
  const identities = trace.exchanges.map(({ request }: Exchange) =>
    requestIdentity(request, HEADER.betaHeader),
  );
  expect(new Set(identities).size).toBe(3);
});

test('a word that ends in `ft:` does not hide the text after it from the identity of a request', () => {
  const trace = new TraceBuilder();
  for (const text of ['left:1', 'left:2'])
    trace.add('createThread', { ...V2, body: { metadata: { a: text } } });
  const [one, other] = trace.exchanges.map(({ request }) => requestIdentity(request, HEADER.betaHeader));
  expect(one).not.toBe(other);
});

function refuseThreads(aftermath: 'continues' | 'blocked') {
  const recorded = recordRun();
  const [creation] = distinctRequests(recorded);
  return refusedTrace(recorded, new Set(creation?.exchanges), aftermath);
}

test('calls that name an object that was never created are removed', () => {
  expect(listStatuses(refuseThreads('continues'))).toEqual(['e1 400', 'e3 400', 'e5 200', 'scenario-ended']);
});

test('a scenario that a refusal blocks ends with a note on it', () => {
  const blocked = refuseThreads('blocked');
  expect(listStatuses(blocked)).toEqual(['e1 400', 'e3 400', 'blocked', 'scenario-ended']);
  expect(blocked.find((item) => isNote(item) && item.note === 'blocked')).toMatchObject({
    scenario: 'some',
    by: 'e3',
  });
});

function describeHidden(recorded: ReturnType<typeof recordRun>) {
  return hiddenAnswers(recorded).map((one) => {
    const answers = (hiddenTrace(recorded, one)?.changed ?? []).map(({ response }) => response?.body.text);
    return [`${one.kind} ${one.name}`, answers.at(-1)];
  });
}

test('each object and each list can be empty, and a list can lack its newest element', () => {
  const trace = new TraceBuilder();
  const files = [
    { id: 'file-old', created_at: 1 },
    { id: 'file-new', created_at: 2 },
  ];
  trace.add('listFiles', {}, { json: { object: 'list', data: files } });
  const page = (data: readonly object[]) => JSON.stringify({ object: 'list', data });
  expect(describeHidden(interpretRun(HEADER, trace.exchanges))).toEqual([
    ['empty-object listFiles /', '{}'],
    ['empty-object listFiles /data/*', page([{}, {}])],
    ['empty-page listFiles', page([])],
    ['without-newest listFiles', page(files.slice(0, 1))],
  ]);
});

test('a response without the emptied member stays unchanged', () => {
  const trace = new TraceBuilder();
  const threads = [{ id: ONE }, { id: TWO, metadata: { a: 'b' } }];
  for (const json of threads) trace.add('createThread', { ...V2, body: {} }, { json });
  const recorded = interpretRun(HEADER, trace.exchanges);
  const hidden = hiddenAnswers(recorded).find(({ place }) => place === '/metadata');
  const changed = hidden === undefined ? null : hiddenTrace(recorded, hidden)?.changed;
  expect(changed?.map(({ response }) => response?.body.text)).toEqual([
    JSON.stringify({ id: TWO, metadata: {} }),
  ]);
});

test('a list at `data` that is no page can be empty', () => {
  const trace = new TraceBuilder();
  const json = { created: 1, data: [{ url: 'https://files.example/1' }] };
  trace.add('createImage', { body: { prompt: 'A square.' } }, { json });
  expect(describeHidden(interpretRun(HEADER, trace.exchanges))).toContainEqual([
    'empty-list createImage /data',
    JSON.stringify({ created: 1, data: [] }),
  ]);
});

test('each event can be renamed, its data can show less, and a stream can end before it', () => {
  const trace = new TraceBuilder();
  const events = [{ event: 'thread.created', data: { id: ONE } }, '[DONE]'];
  trace.add('createThreadAndRun', { ...V2, body: { assistant_id: 'asst_1', stream: true } }, { events });
  const stream = (name: string, data: object) =>
    `event: ${name}\ndata: ${JSON.stringify(data)}\n\ndata: [DONE]\n\n`;
  expect(describeHidden(interpretRun(HEADER, trace.exchanges))).toEqual([
    ['empty-object createThreadAndRun thread.created /', stream('thread.created', {})],
    ['cut-stream createThreadAndRun before thread.created', ''],
    ['renamed-event createThreadAndRun thread.created', stream('thread.created.other', { id: ONE })],
    [
      'cut-stream createThreadAndRun before [DONE]',
      stream('thread.created', { id: ONE }).split('data: [')[0],
    ],
  ]);
});

test('a JSON lines file is edited line by line', () => {
  const trace = new TraceBuilder();
  const body = ['{"custom_id":"a","response":{"body":{}}}', '{"custom_id":"b","response":null}'].join('\n');
  trace.add('retrieveFileContent', { path: { file_id: 'file-1' } }, { text: body });
  expect(describeHidden(interpretRun(HEADER, trace.exchanges))).toContainEqual([
    'empty-object retrieveFileContent /response',
    '{"custom_id":"a","response":{}}\n{"custom_id":"b","response":null}\n',
  ]);
});

test('a changed file affects the operations whose verdicts depend on it, and none if no verdict does', () => {
  const listAffected = (file: string) => [...affectedOperations([file])];
  expect(listAffected('docs/run.md')).toEqual([]);
  expect(listAffected('judge/client/usage.ts')).toEqual([]);
  expect(listAffected('judge/acceptance/explain.test.ts')).toEqual([]);
  expect(listAffected('suites/moderations/base.ts')).toEqual(['createModeration']);
  expect(listAffected('suites/messages/files.requirements.ts')).toContain('retrieveMessageFile');
  expect(listAffected('suites/assistants/base.ts')).toContain('createAssistant');
  for (const shared of [
    'explain/causes/explain.ts',
    'suites/vocabulary/selectors.ts',
    'suites/data/requests/moderations.json',
    'scripts/evasion/refused-trace.ts',
    'proof/mutations/evasions.ts',
  ])
    expect(listAffected(shared), shared).toHaveLength(63);
});

test('content is left open only at the listed places, and never the end of a stream', () => {
  const hidden = (kind: HiddenAnswer['kind'], event: string | null, place: string | null) =>
    unstatedContent({
      kind,
      operation: 'createThreadAndRun',
      name: '',
      event,
      place,
      hide: (exchange) => exchange,
    })?.id;
  expect(hidden('empty-object', 'thread.created', '/metadata')).toBe('new-thread');
  expect(hidden('empty-object', 'thread.created', '/metadatas')).toBeUndefined();
  expect(hidden('empty-object', 'thread.created', '/')).toBeUndefined();
  expect(hidden('empty-object', 'thread.run.created', '/metadata')).toBeUndefined();
  expect(hidden('renamed-event', 'thread.run.failed', null)).toBe('events-without-a-name');
  expect(hidden('cut-stream', 'thread.run.failed', null)).toBeUndefined();
  expect(hidden('renamed-event', 'thread.run.completed', null)).toBeUndefined();
  expect(hidden('empty-page', null, null)).toBeUndefined();
});

test('a green verdict on a refused upload is excused if the file is empty', () => {
  const trace = new TraceBuilder();
  const upload = (value: string) =>
    trace.add('createFile', {
      form: [
        { name: 'purpose', value: 'assistants' },
        { name: 'file', value, filename: 'a.txt' },
      ],
    });
  const requestWith = (value: string) => ({
    identity: '',
    operation: 'createFile',
    exchanges: [upload(value)],
  });
  const green = { outcome: 'green', by: [] } as const;
  const excused = { outcome: 'unstated', by: ['empty-files'] };
  expect(excuseUnstated(green, requestWith(''))).toEqual(excused);
  expect(excuseUnstated(green, requestWith('a'))).toBe(green);
  const failure = { outcome: 'failure', by: ['x'] } as const;
  expect(excuseUnstated(failure, requestWith(''))).toBe(failure);
});
