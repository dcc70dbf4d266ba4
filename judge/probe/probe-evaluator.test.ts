import { expect, test } from 'vitest';
import type { Probe } from '../../exchange/exchange.ts';
import { judgeTrace } from '../../explain/judge.ts';
import { catalogueOfSets } from '../testing/catalogue-of-sets.ts';
import {
  type RequestSketch,
  type ResponseSketch,
  TraceBuilder,
  testTraceHeader,
} from '../testing/trace-builder.ts';
import type { Cause } from '../verdict/cause.ts';
import { probeRequirements } from './probe-evaluator.ts';

const CATALOGUE = catalogueOfSets([probeRequirements()]);
const CHAT = 'createChatCompletion';
const BODY = { model: 'm', messages: [] };
const MAXIMUM = `${CHAT}:body.temperature#maximum`;

const valid: Probe = {
  id: 'p1',
  operation: CHAT,
  pointer: 'body.temperature',
  keyword: 'maximum',
  side: 'valid',
  control: null,
};
const violation: Probe = { ...valid, id: 'p2', side: 'violation', control: 'p1' };
const control: RequestSketch = { body: { ...BODY, temperature: 2 }, probe: valid };
const broken: RequestSketch = { body: { ...BODY, temperature: 2.1 }, probe: violation };
const ACCEPTED: ResponseSketch = { json: {} };
const RESET: ResponseSketch = { status: 0, how: 'upstream-reset' };
const MISWRITTEN: ResponseSketch = {
  status: 500,
  json: { error: { message: 'The model produced output that does not match the expected format' } },
};

function verdictOf(
  id: string,
  ...calls: readonly (readonly [operation: string, RequestSketch, ResponseSketch])[]
) {
  const trace = new TraceBuilder();
  for (const [operation, request, response] of calls) trace.add(operation, request, response);
  const { requirements } = judgeTrace(CATALOGUE, testTraceHeader(), trace.exchanges);
  return requirements.find((one) => one.id === id);
}

const REQUEST = { method: 'POST', path: '/v1/chat/completions' } as const;

test('a valid request whose connection closes each time is a failure, shown by the last exchange', () => {
  const closed = [CHAT, control, RESET] as const;
  const verdict = verdictOf(`${MAXIMUM}.accepted`, closed, closed);
  expect(verdict?.findings).toMatchObject([{ actual: 'no answer', exchange: 'e2' }]);
});

test('a violation whose connection closes each time is a failure if its control is accepted', () => {
  const [accepted, fatal] = [[CHAT, control, ACCEPTED] as const, [CHAT, broken, RESET] as const];
  expect(verdictOf(`${MAXIMUM}.rejected`, accepted, fatal, fatal)?.verdict).toBe('fail');
  expect(verdictOf(`${MAXIMUM}.rejected`, accepted, fatal)?.verdict).toBe('inconclusive');
  const refused = [CHAT, broken, { status: 400 }] as const;
  expect(verdictOf(`${MAXIMUM}.rejected`, accepted, fatal, fatal, refused)?.verdict).toBe('pass');
  // The valid request crashes the service as well, and would do so in another run.
  const closed = [CHAT, control, RESET] as const;
  expect(verdictOf(`${MAXIMUM}.rejected`, closed, closed, fatal, fatal)).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: 'protocol', exchange: 'e4' },
  });
});

test('a connection that closes each time a file of forbidden size is sent is a refusal', () => {
  const id = 'createFile:file.file#maxBytes';
  const labels = { ...valid, operation: 'createFile', pointer: 'file.file', keyword: 'maxBytes' };
  const form = [{ name: 'file', value: 'a', filename: 'a.jsonl' }];
  const accepted = ['createFile', { form, probe: labels }, ACCEPTED] as const;
  const sent = (length: number, response = RESET) => {
    const headers = [['content-length', `${length}`]] as const;
    const probe: Probe = { ...labels, id: 'p2', side: 'violation', control: 'p1' };
    return ['createFile', { form, headers, probe }, response] as const;
  };
  const [cut, small] = [sent(536_870_913), sent(1)];
  expect(verdictOf(`${id}.rejected`, accepted, cut, cut)?.verdict).toBe('pass');
  expect(verdictOf(`${id}.rejected`, accepted, small, small)?.verdict).toBe('fail');
  expect(verdictOf(`${id}.rejected`, accepted, cut, sent(536_870_913, ACCEPTED))?.verdict).toBe('fail');
  const unserved = ['createFile', { form, probe: labels }, RESET] as const;
  expect(verdictOf(`${id}.rejected`, unserved, cut, cut)?.verdict).not.toBe('pass');
  // A single closed connection may be chance.
  expect(verdictOf(`${id}.rejected`, accepted, cut)).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: 'capacity' },
  });
});

test('a service that kept reading far beyond the size limit of a file owes a response, because no buffer holds that much', () => {
  const id = 'createFile:file.file#maxBytes';
  const labels = { ...valid, operation: 'createFile', pointer: 'file.file', keyword: 'maxBytes' };
  const accepted = ['createFile', { form: [], probe: labels }, ACCEPTED] as const;
  const probe: Probe = { ...labels, id: 'p2', side: 'violation', control: 'p1' };
  const [limit, buffers] = [536_870_913, 64 * 1024 * 1024];
  const closed = (length: number, size = length) => {
    const request: RequestSketch = { form: [], headers: [['content-length', `${length}`]], size, probe };
    return ['createFile', request, RESET] as const;
  };
  const far = limit + buffers + 1;
  const [complete, cut, near] = [closed(far), closed(far, far - 1), closed(limit + buffers)];
  expect(verdictOf(`${id}.rejected`, accepted, complete, complete)?.verdict).toBe('fail');
  expect(verdictOf(`${id}.rejected`, accepted, complete)?.verdict).toBe('inconclusive');
  expect(verdictOf(`${id}.rejected`, accepted, cut, cut)?.verdict).toBe('pass');
  // It may have read only enough to see that the file is too large; the rest may lie in buffers.
  expect(verdictOf(`${id}.rejected`, accepted, near, near)?.verdict).toBe('pass');
  expect(verdictOf(`${id}.rejected`, accepted, near, near, complete)?.verdict).toBe('inconclusive');
  expect(verdictOf(`${id}.rejected`, accepted, near, near, complete, complete)?.verdict).toBe('fail');
});

test('a picture of forbidden size need not be read, although it was sent completely', () => {
  const id = 'createImageVariation:file.image#maxBytes';
  const labels = { ...valid, operation: 'createImageVariation', pointer: 'file.image', keyword: 'maxBytes' };
  const form = (bytes: number) => [{ name: 'image', value: 'a'.repeat(bytes), filename: 'a.png' }];
  const accepted = ['createImageVariation', { form: form(1), probe: labels }, ACCEPTED] as const;
  const probe: Probe = { ...labels, id: 'p2', side: 'violation', control: 'p1' };
  const closed = ['createImageVariation', { form: form(4 * 1024 * 1024), probe }, RESET] as const;
  expect(verdictOf(`${id}.rejected`, accepted, closed, closed)?.verdict).toBe('pass');
  expect(verdictOf(`${id}.rejected`, accepted, closed)?.verdict).toBe('inconclusive');
});

test.each<[string, ResponseSketch]>([
  ['500', { status: 500 }],
  ['503', { status: 503 }],
  ['500 for what the model wrote', MISWRITTEN],
  ['a reset', RESET],
])('a request that gets %s and is accepted when it is sent again is not a failure', (_, response) => {
  const again = [CHAT, control, ACCEPTED] as const;
  const judged = verdictOf(`${MAXIMUM}.accepted`, [CHAT, control, response], again);
  expect(judged?.verdict).toBe('pass');
  const refused = [CHAT, broken, { status: 400 }] as const;
  expect(verdictOf(`${MAXIMUM}.rejected`, [CHAT, control, response], refused, again)?.verdict).toBe('pass');
  expect(verdictOf(`${MAXIMUM}.rejected`, refused, [CHAT, control, response], again)?.verdict).toBe('pass');
});

test.each<[string, ResponseSketch, string, Cause | null]>([
  ['2xx', ACCEPTED, 'pass', null],
  ['400', { status: 400 }, 'fail', null],
  ['500', { status: 500 }, 'fail', null],
  ['429', { status: 429 }, 'inconclusive', { kind: 'capacity', exchange: 'e1', arrival: null }],
  ['503', { status: 503 }, 'inconclusive', { kind: 'capacity', exchange: 'e1', arrival: null }],
  [
    '401',
    { status: 401 },
    'untested',
    { kind: 'blocked', exchange: 'e1', obstacle: { ...REQUEST, kind: 'answered', status: 401 } },
  ],
  [
    'no response in time',
    { status: 0, how: 'upstream-timeout' },
    'inconclusive',
    { kind: 'capacity', exchange: 'e1', arrival: null },
  ],
  ['a reset', RESET, 'inconclusive', { kind: 'capacity', exchange: 'e1', arrival: null }],
  ['402', { status: 402 }, 'inconclusive', { kind: 'capacity', exchange: 'e1', arrival: null }],
  [
    'a refusal by a content filter',
    { status: 400, json: { error: { code: 'content_filter' } } },
    'inconclusive',
    { kind: 'model', exchange: 'e1' },
  ],
  ['413 although it is within a stated limit', { status: 413 }, 'fail', null],
  ['an abort by the client', { status: 0, how: 'client-abort' }, 'untested', { kind: 'no-evidence' }],
  ['a stream that begins with an error', { events: [{ error: { message: 'no' } }] }, 'fail', null],
])('the response decides the verdict and cause of a valid probe: %s', (_, response, verdict, cause) => {
  const judged = verdictOf(`${MAXIMUM}.accepted`, [CHAT, control, response]);
  expect([judged?.verdict, judged?.cause]).toEqual([verdict, cause]);
});

test.each<[string, ResponseSketch, string, Cause | null]>([
  ['400', { status: 400 }, 'pass', null],
  ['422', { status: 422 }, 'pass', null],
  ['2xx', ACCEPTED, 'fail', null],
  ['500', { status: 500 }, 'inconclusive', { kind: 'target-error', exchange: 'e2' }],
  ['429', { status: 429 }, 'inconclusive', { kind: 'capacity', exchange: 'e2', arrival: null }],
  ['404', { status: 404 }, 'pass', null],
  ['405', { status: 405 }, 'pass', null],
  [
    '401',
    { status: 401 },
    'untested',
    { kind: 'blocked', exchange: 'e2', obstacle: { ...REQUEST, kind: 'answered', status: 401 } },
  ],
  ['a stream that begins with an error', { events: [{ event: 'error', data: 'no' }] }, 'pass', null],
])(
  'the response decides the verdict and cause of a violation whose control is accepted: %s',
  (_, response, verdict, cause) => {
    const judged = verdictOf(`${MAXIMUM}.rejected`, [CHAT, control, ACCEPTED], [CHAT, broken, response]);
    expect([judged?.verdict, judged?.cause]).toEqual([verdict, cause]);
  },
);

test('a rejection proves nothing unless the control is accepted, before or after', () => {
  const no: ResponseSketch = { status: 400 };
  const rejected = `${MAXIMUM}.rejected`;
  expect(verdictOf(rejected, [CHAT, broken, no])).toMatchObject({
    verdict: 'untested',
    cause: { kind: 'no-evidence' },
  });
  expect(verdictOf(rejected, [CHAT, control, no], [CHAT, broken, no])).toMatchObject({
    verdict: 'untested',
    cause: { kind: 'blocked', exchange: 'e1', obstacle: { ...REQUEST, kind: 'control', status: 400 } },
  });
  expect(verdictOf(rejected, [CHAT, broken, no], [CHAT, control, ACCEPTED])).toMatchObject({
    verdict: 'pass',
  });
});

test('a rejection whose control and base are refused is blocked by the base, in any order', () => {
  const refused: ResponseSketch = { status: 400 };
  const base = [CHAT, { body: BODY, probe: { ...valid, id: 'b', keyword: 'base' } }, refused] as const;
  const based = [CHAT, { ...control, probe: { ...valid, control: 'b' } }, refused] as const;
  const rejected = [CHAT, broken, refused] as const;
  for (const calls of [
    [base, based, rejected],
    [base, rejected, based],
    [based, base, rejected],
    [based, rejected, base],
    [rejected, base, based],
    [rejected, based, base],
  ])
    expect(verdictOf(`${MAXIMUM}.rejected`, ...calls)?.cause).toMatchObject({ obstacle: { kind: 'base' } });
});

test.each([
  ['code', { code: 'model_not_found', message: 'No such model.' }, 'model_not_found'],
  ['message, if its code is empty', { code: '', message: 'No such model.' }, 'No such model.'],
])('a refused base is quoted by its error %s', (_, error, said) => {
  const probe: Probe = { ...valid, keyword: 'base' };
  const base = [CHAT, { body: BODY, probe }, { status: 404, json: { error } }] as const;
  const rejected = [CHAT, broken, { status: 400 }] as const;
  expect(verdictOf(`${MAXIMUM}.rejected`, base, rejected)?.cause).toMatchObject({ obstacle: { said } });
});

test('a rejection counts if its control is an accepted base', () => {
  const base = [CHAT, { body: BODY, probe: { ...valid, keyword: 'base' } }, ACCEPTED] as const;
  const rejected = [CHAT, broken, { status: 400 }] as const;
  expect(verdictOf(`${MAXIMUM}.rejected`, base, rejected)?.verdict).toBe('pass');
});

test('an unknown id must not get a 2xx if the known one does', () => {
  const known: Probe = {
    id: 'k',
    operation: 'retrieveFile',
    pointer: 'path.file_id',
    keyword: 'unknown',
    side: 'valid',
    control: null,
  };
  const unknown: Probe = { ...known, id: 'u', side: 'violation', control: 'k' };
  const ask = (probe: Probe, file_id: string): RequestSketch => ({ path: { file_id }, probe });
  const id = 'retrieveFile:path.file_id#unknown.rejected';
  const served = ['retrieveFile', ask(known, 'file-1'), ACCEPTED] as const;
  for (const [status, verdict] of [
    [404, 'pass'],
    [400, 'pass'],
    [200, 'warn'],
    [405, 'pass'],
    [501, 'untested'],
  ] as const) {
    const unknownCall = ['retrieveFile', ask(unknown, 'file-2'), { status, json: {} }] as const;
    expect(verdictOf(id, served, unknownCall)?.verdict).toBe(verdict);
  }
});

const STORE_FILE = { operation: 'createVectorStoreFile', path: { vector_store_id: 'vs_1' } };
test.each([
  { ...STORE_FILE, body: { file_id: 'file-1' }, field: 'file_id' },
  ...['model', 'training_file', 'validation_file'].map((field) => ({
    operation: 'createFineTuningJob',
    path: {},
    body: { model: 'm', training_file: 'file-1', validation_file: 'file-2' },
    field,
  })),
  {
    operation: 'createFineTuningJob',
    path: {},
    body: { model: 'm', training_file: 'file-1', suffix: 'a' },
    field: 'suffix',
  },
])('a 404 rejects an invalid $field only if a valid one is accepted', ({ operation, path, body, field }) => {
  const pointer = `body.${field}`;
  const good: Probe = { id: 'g', operation, pointer, keyword: 'type', side: 'valid', control: null };
  const bad: Probe = { ...good, id: 'b', side: 'violation', control: 'g' };
  const served = [operation, { path, body, probe: good }, ACCEPTED] as const;
  const wrong = { path, body: { ...body, [field]: 7 }, probe: bad };
  const missing = [operation, wrong, { status: 404, json: {} }] as const;
  const id = `${operation}:${pointer}#type.rejected`;
  expect(verdictOf(id, served, missing)?.verdict).toBe('pass');
  expect(verdictOf(id, missing)?.verdict).toBe('untested');
});

test('a request that no scenario labelled is judged only if it violates a constraint and was accepted', () => {
  const rejected = `${MAXIMUM}.rejected`;
  const hot = { body: { ...BODY, temperature: 3 } };
  expect(verdictOf(rejected, [CHAT, hot, ACCEPTED])).toMatchObject({
    verdict: 'fail',
    findings: [{ at: 'request /temperature', expected: 'a rejection: it is not at most 2', actual: 3 }],
  });
  expect(verdictOf(rejected, [CHAT, hot, { status: 400 }])?.verdict).toBe('untested');
  expect(verdictOf(rejected, [CHAT, { body: BODY }, ACCEPTED])?.verdict).toBe('untested');
});

test('null counts as omitting the field', () => {
  const request = { body: { ...BODY, tool_choice: null } };
  expect(verdictOf(`${CHAT}:body.tool_choice#type.rejected`, [CHAT, request, ACCEPTED])?.verdict).toBe(
    'untested',
  );
});

test('a form is judged by the values and files of its parts', () => {
  const form = (purpose: string) => ({
    form: [
      { name: 'purpose', value: purpose },
      { name: 'file', value: 'x', filename: 'x.txt' },
    ],
  });
  const id = 'createFile:body.purpose#enum.rejected';
  expect(verdictOf(id, ['createFile', form('batch'), ACCEPTED])?.verdict).toBe('untested');
  expect(verdictOf(id, ['createFile', form('nonsense'), ACCEPTED])?.verdict).toBe('fail');
  const bare = { form: [{ name: 'purpose', value: 'batch' }] };
  expect(verdictOf('createFile:file.file#required.rejected', ['createFile', bare, ACCEPTED])?.verdict).toBe(
    'fail',
  );
});

test('a query is judged by the enums, types and ranges of its parameters', () => {
  const ask = (query: Record<string, string>): RequestSketch => ({ query, beta: 'assistants=v2' });
  const order = 'listAssistants.v2:query.order#enum.rejected';
  const limit = 'listAssistants.v2:query.limit#type.rejected';
  expect(verdictOf(order, ['listAssistants', ask({ order: 'sideways' }), ACCEPTED])?.verdict).toBe('fail');
  expect(verdictOf(limit, ['listAssistants', ask({ limit: 'many' }), ACCEPTED])?.verdict).toBe('fail');
  expect(verdictOf(limit, ['listAssistants', ask({ limit: '1000' }), ACCEPTED])?.verdict).toBe('untested');
  for (const [end, value] of [
    ['minimum', '0'],
    ['maximum', '101'],
  ] as const) {
    const bound = `listAssistants.v2:query.limit#${end}.rejected`;
    expect(verdictOf(bound, ['listAssistants', ask({ limit: value }), ACCEPTED])?.verdict).toBe('fail');
  }
});

test('an operation with two variants is judged only with the beta header', () => {
  const id = 'createAssistant.v1:body.model#required.rejected';
  expect(verdictOf(id, ['createAssistant', { body: {} }, ACCEPTED])?.verdict).toBe('untested');
  expect(verdictOf(id, ['createAssistant', { body: {}, beta: 'assistants=v1' }, ACCEPTED])?.verdict).toBe(
    'fail',
  );
});

test.each([
  [400, 'untested'],
  [404, 'untested'],
  [405, 'fail'],
] as const)('a cancellation that may come too late and gets %i has the verdict %s', (status, verdict) => {
  const probe = { ...valid, operation: 'cancelBatch', pointer: 'path.batch_id', keyword: 'unknown' };
  const id = 'cancelBatch:path.batch_id#unknown.accepted';
  const served = ['cancelBatch', {}, ACCEPTED] as const;
  expect(verdictOf(id, served, ['cancelBatch', { probe }, { status }])?.verdict).toBe(verdict);
});

test('a 500 for malformed text of the model is inconclusive, even if it recurs', () => {
  const judged = verdictOf(`${MAXIMUM}.accepted`, ...Array(3).fill([CHAT, control, MISWRITTEN] as const));
  expect(judged).toMatchObject({ verdict: 'inconclusive', cause: { kind: 'model' } });
});
