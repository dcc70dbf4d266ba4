import { expect, test } from 'vitest';
import { DISCOVERY } from '../exchange/exchange.ts';
import type { TraceHeader, TraceItem } from '../exchange/trace.ts';
import { judgeTrace } from '../explain/judge.ts';
import { behaviourRequirements } from './evidence/behaviour-requirements.ts';
import { requests, responses } from './evidence/calls.ts';
import { probeRequirements } from './probe/probe-evaluator.ts';
import { requirement, violation } from './requirements/define.ts';
import { schemaRequirements } from './schema/response-evaluator.ts';
import { catalogueOfSets } from './testing/catalogue-of-sets.ts';
import { TraceBuilder, testTraceHeader } from './testing/trace-builder.ts';
import { arrayAt } from './trace/json.ts';
import type { RequirementVerdict } from './verdict/verdict.ts';

const requirementSets = [schemaRequirements(), probeRequirements()];

function idsOf(...prefixes: readonly string[]): ReadonlySet<string> {
  const ids = requirementSets.flatMap(({ requirements }) => requirements.map(({ id }) => id));
  return new Set(ids.filter((id) => prefixes.some((prefix) => id.startsWith(prefix))));
}

const CATALOGUE = catalogueOfSets(requirementSets, {
  infeasible: [{ id: 'createFile:file.file#maxBytes.*', reason: 'no request can be that large' }],
  scenarios: [
    { name: 'files.round', shows: idsOf('file:', 'createFile:') },
    { name: 'models.round', shows: idsOf('model:') },
  ],
});

const FILE = { id: 'file-1', object: 'file', bytes: 5, created_at: 1, filename: 'a.txt', purpose: 'batch' };
const UPLOAD = {
  form: [
    { name: 'purpose', value: 'batch' },
    { name: 'file', value: 'hello', filename: 'a.txt' },
  ],
};

function judgeItems(items: readonly TraceItem[], header: Partial<TraceHeader> = {}) {
  const { requirements } = judgeTrace(CATALOGUE, testTraceHeader(header), items);
  const byId = new Map(requirements.map((one) => [one.id, one]));
  return (id: string): RequirementVerdict => {
    const judged = byId.get(id);
    if (judged === undefined) throw new Error(`no requirement ${id}`);
    return judged;
  };
}

test('a response passes constraints on its fields, with its observations, and is no evidence for absent fields', () => {
  const trace = new TraceBuilder();
  trace.add('createFile', UPLOAD, { json: FILE });
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { json: FILE });
  const verdictOf = judgeItems(trace.exchanges);
  expect(verdictOf('file:bytes#type')).toMatchObject({ verdict: 'pass', observations: 2, findings: [] });
  expect(verdictOf('file:status#enum')).toMatchObject({
    verdict: 'untested',
    cause: { kind: 'no-evidence' },
  });
  expect(verdictOf('createFile:answer#json')).toMatchObject({ verdict: 'pass', observations: 1 });
});

test('a failure that only responses to accepted invalid requests show is marked, another one is not', () => {
  const trace = new TraceBuilder();
  const probe = { id: 'p', operation: 'createFile', pointer: 'body.purpose', keyword: 'enum' };
  const invalid = { ...UPLOAD, probe: { ...probe, side: 'violation', control: null } } as const;
  trace.add('createFile', invalid, { json: { ...FILE, bytes: 'many' } });
  expect(judgeItems(trace.exchanges)('file:bytes#type')).toMatchObject({ verdict: 'fail', provoked: true });
  trace.add('createFile', UPLOAD, { json: { ...FILE, bytes: 'many' } });
  const judged = judgeItems(trace.exchanges)('file:bytes#type');
  expect([judged.verdict, judged.provoked]).toEqual(['fail', undefined]);
});

test('a pass names the exchanges of the evidence that was complete first, and only a pass does', () => {
  const trace = new TraceBuilder();
  const probe = { operation: 'retrieveFile', pointer: 'path.file_id', keyword: 'unknown' };
  const control = { ...probe, id: 'c', side: 'valid', control: null } as const;
  const violation = { ...probe, id: 'v', side: 'violation', control: 'c' } as const;
  trace.add('listFiles', {}, { json: { object: 'list', data: [{ ...FILE, created_at: '1' }] } });
  trace.add('retrieveFile', { path: { file_id: 'file-1' }, probe: control }, { json: FILE });
  trace.add('retrieveFile', { path: { file_id: 'none' }, probe: violation }, { status: 404, json: {} });
  trace.add('createFile', UPLOAD, { json: FILE });
  const verdictOf = judgeItems(trace.exchanges);
  expect(verdictOf('file:bytes#type').shownBy).toEqual(['e1']);
  expect(verdictOf('createFile:answer#json').shownBy).toEqual(['e4']);
  expect(verdictOf('retrieveFile:path.file_id#unknown.rejected').shownBy).toEqual(['e2', 'e3']);
  expect(verdictOf('file:created_at#type')).toMatchObject({ verdict: 'fail' });
  expect(verdictOf('file:created_at#type')).not.toHaveProperty('shownBy');
  expect(verdictOf('model:id#type')).not.toHaveProperty('shownBy');
});

test('discovery requests count as cost and are not evidence', () => {
  const trace = new TraceBuilder();
  trace.add('createFile', UPLOAD, { json: FILE });
  trace.add('listFiles', {}, { json: { object: 'list', data: [{ ...FILE, bytes: '5' }] } });
  const items = trace.exchanges.map((exchange) => ({ ...exchange, scenario: DISCOVERY }));
  const { requirements, cost } = judgeTrace(CATALOGUE, testTraceHeader(), items);
  expect(requirements.filter(({ observations }) => observations > 0)).toEqual([]);
  expect(cost.requests).toBe(2);
});

test('a broken constraint is a finding with place, expectation, value, exchange and signature', () => {
  const trace = new TraceBuilder();
  trace.add('listFiles', {}, { json: { object: 'list', data: [FILE, { ...FILE, bytes: '5' }] } });
  const verdictOf = judgeItems(trace.exchanges);
  expect(verdictOf('file:bytes#type')).toMatchObject({ verdict: 'fail', observations: 2, findingsTotal: 1 });
  expect(verdictOf('file:bytes#type').findings).toEqual([
    {
      at: '/data/1/bytes',
      expected: 'an integer',
      actual: '5',
      exchange: 'e1',
      signature: expect.any(String),
    },
  ]);
  expect(verdictOf('file:bytes#required').verdict).toBe('pass');
});

test('the same defect has one signature wherever it occurs, and at most 20 findings', () => {
  const trace = new TraceBuilder();
  trace.add('listFiles', {}, { json: { object: 'list', data: Array(30).fill({ ...FILE, bytes: null }) } });
  const { findings, findingsTotal } = judgeItems(trace.exchanges)('file:bytes#type');
  expect(findingsTotal).toBe(30);
  expect(findings).toHaveLength(20);
  expect(new Set(findings.map(({ signature }) => signature)).size).toBe(1);
});

test('findings on plain requests take precedence over those on invalid ones, and are listed by exchange', () => {
  const trace = new TraceBuilder();
  const probe = { id: 'p', operation: 'retrieveFile', pointer: 'x', keyword: 'y', control: null };
  const wrong = { ...probe, side: 'violation' } as const;
  const answer = { json: { ...FILE, bytes: null } };
  for (let n = 0; n < 25; n++)
    trace.add('retrieveFile', { path: { file_id: 'file-1' }, probe: wrong }, answer);
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, answer);
  const { findings, findingsTotal } = judgeItems(trace.exchanges)('file:bytes#type');
  expect([findingsTotal, findings.length]).toEqual([26, 20]);
  expect(findings.map(({ exchange }) => exchange)).toEqual([
    ...Array.from({ length: 19 }, (_, n) => `e${n + 1}`),
    'e26',
  ]);
});

test('only successful and complete responses are judged by their schema', () => {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: 'x' } }, { status: 404, json: { error: 'no' } });
  trace.add('retrieveFile', { path: { file_id: 'x' } }, { text: '{"id": "fi', how: 'upstream-reset' });
  const verdictOf = judgeItems(trace.exchanges);
  expect(verdictOf('file:id#required').verdict).toBe('inconclusive');
  expect(verdictOf('retrieveFile:answer#json').verdict).toBe('inconclusive');
});

test('a page of HTML breaks the media type and cannot be read', () => {
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { text: '<html>', headers: [['Content-Type', 'text/html']] });
  const verdictOf = judgeItems(trace.exchanges);
  expect(verdictOf('listModels:answer#contentType')).toMatchObject({ verdict: 'warn' });
  expect(verdictOf('listModels:answer#json').findings[0]).toMatchObject({
    expected: 'JSON',
    actual: '<html>',
  });
});

test('requirements of a family that is not claimed are not judged', () => {
  const trace = new TraceBuilder();
  trace.add('createFile', UPLOAD, { json: { ...FILE, bytes: null } });
  const claims = { families: ['models'], how: 'given' } as const;
  expect(judgeItems(trace.exchanges, { claims })('file:bytes#type')).toMatchObject({
    verdict: 'untested',
    cause: { kind: 'not-claimed', family: null },
    findings: [],
  });
});

test('chance is a mark of failures only, not of requirements that are not claimed', () => {
  const counted = requirement({
    id: 'models.list.counted',
    level: 'MUST',
    basis: 'implied',
    spec: '2 Models',
    says: 'A list has a model.',
    selector: responses('listModels'),
    check: ({ answer }) => (arrayAt(answer, 'data').length > 0 ? [] : [violation('/data', 'a model', [])]),
    byChance: true,
    mutations: { none: () => null },
  });
  const trace = new TraceBuilder();
  for (const data of [[{ id: 'm' }], []]) trace.add('listModels', {}, { json: { object: 'list', data } });
  const catalogue = catalogueOfSets([behaviourRequirements([counted])]);
  const judgeClaiming = (...families: readonly string[]) => {
    const header = testTraceHeader({ claims: { families, how: 'given' } });
    return judgeTrace(catalogue, header, trace.exchanges).requirements[0];
  };
  expect(judgeClaiming('models')).toMatchObject({ verdict: 'fail', byChance: true });
  expect(judgeClaiming('files')).toMatchObject({ verdict: 'untested' });
  expect(judgeClaiming('files')).not.toHaveProperty('byChance');
});

test('requirements that are filtered out are not judged', () => {
  const trace = new TraceBuilder();
  trace.add('createFile', UPLOAD, { json: { ...FILE, bytes: null } });
  const filters = { only: ['file:*'], skip: ['file:bytes*'] };
  const verdictOf = judgeItems(trace.exchanges, { filters });
  expect(verdictOf('file:bytes#type').cause).toEqual({ kind: 'filtered', by: { option: 'skip', globs: [] } });
  expect(verdictOf('model:id#type').cause).toEqual({ kind: 'filtered', by: { option: 'only', globs: [] } });
  expect(verdictOf('file:id#type').verdict).toBe('pass');
});

test('a requirement without evidence names the obstacle or skip of its scenario, and an obstacle counts those it blocks', () => {
  const trace = new TraceBuilder();
  trace.add('createFile', UPLOAD, { status: 500, json: {} });
  const obstacle = { kind: 'answered', method: 'POST', path: '/v1/files', status: 500 } as const;
  const missing = { what: 'model', role: 'x' } as const;
  const { requirements, blockers } = judgeTrace(CATALOGUE, testTraceHeader(), [
    ...trace.exchanges,
    { after: 1, note: 'blocked', scenario: 'files.round', by: 'e1', obstacle },
    {
      after: 1,
      note: 'scenario-skipped',
      scenario: 'models.round',
      reason: 'not-configured',
      missing,
    },
  ]);
  const cause = (id: string) => requirements.find((one) => one.id === id)?.cause;
  expect(cause('file:id#type')).toEqual({ kind: 'blocked', exchange: 'e1', obstacle });
  expect(cause('model:id#type')).toEqual({ kind: 'not-configured', missing });
  const blocked = requirements.filter((one) => one.cause?.kind === 'blocked').length;
  expect(blockers).toEqual([{ exchange: 'e1', exchanges: 1, obstacle, requirements: blocked }]);
});

test('a requirement is an error if its scenario crashed', () => {
  const crashed = judgeTrace(CATALOGUE, testTraceHeader(), [
    { after: 0, note: 'scenario-crashed', scenario: 'models.round', message: 'oops' },
  ]);
  expect(crashed.requirements.find(({ id }) => id === 'model:id#type')).toMatchObject({ verdict: 'error' });
});

test('a requirement that no request can show is not feasible', () => {
  const verdictOf = judgeItems([]);
  expect(verdictOf('createFile:file.file#maxBytes.accepted').cause).toEqual({
    kind: 'not-feasible',
    says: 'no request can be that large',
  });
});

test('an operation that never exists is not implemented; one that rejects an unknown id is', () => {
  const trace = new TraceBuilder();
  trace.add('listModels', {}, { status: 404 });
  trace.add('retrieveFile', { path: { file_id: 'unknown' } }, { status: 404 });
  const { operations } = judgeTrace(CATALOGUE, testTraceHeader(), trace.exchanges);
  const missing = operations.filter(({ notImplemented }) => notImplemented).map(({ id }) => id);
  expect(missing).toEqual(['listModels']);
});

test('cost counts requests, bytes and the tokens that responses report', () => {
  const trace = new TraceBuilder();
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const request = { body: { model: 'm', messages: [] } };
  trace.add('createChatCompletion', request, { json: { usage } });
  trace.add('createChatCompletion', request, { events: [{ usage: null }, { usage }, '[DONE]'] });
  const sizes = trace.exchanges.flatMap(({ request: { body }, response }) => [
    body.size,
    response?.body.size ?? 0,
  ]);
  expect(judgeTrace(CATALOGUE, testTraceHeader(), trace.exchanges).cost).toEqual({
    requests: 2,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    tokens: 14,
  });
});

test('the stop reason is the one in the notes', () => {
  const stop = { reason: 'target-died', detail: 'ECONNREFUSED', underWay: [] } as const;
  const judgement = judgeTrace(CATALOGUE, testTraceHeader(), [{ after: 0, note: 'stopped', ...stop }]);
  expect(judgement).toMatchObject({ stopReason: 'target-died', stop });
});

test('a 404 of an operation fails a requirement that relates others to it only if the operation is offered', () => {
  const uploadIsFound = requirement({
    id: 'files.upload.found',
    level: 'MUST',
    basis: 'implied',
    spec: '2 Files',
    says: 'An uploaded file is found.',
    selector: requests(['createFile', 'retrieveFile']),
    check: ({ call }) => (call.status === 404 ? [{ at: 'status', expected: '2xx', actual: 404 }] : []),
    mutations: { 'not found': () => null },
  });
  const trace = new TraceBuilder();
  trace.add('createFile', UPLOAD, { json: FILE });
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { status: 404, json: {} });
  const verdict = () => {
    const catalogue = { ...CATALOGUE, requirementSets: [behaviourRequirements([uploadIsFound])] };
    return judgeTrace(catalogue, testTraceHeader({}), trace.exchanges).requirements[0];
  };
  expect(verdict()).toMatchObject({
    verdict: 'untested',
    cause: { kind: 'not-implemented', operations: ['retrieveFile'] },
    findings: [],
  });
  trace.add('retrieveFile', { path: { file_id: 'file-2' } }, { json: { ...FILE, id: 'file-2' } });
  expect(verdict()?.verdict).toBe('fail');
});
