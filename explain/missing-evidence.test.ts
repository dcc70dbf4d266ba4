import { describe, expect, test } from 'vitest';
import { isNote, type Note, type NoteContent, type TraceItem } from '../exchange/trace.ts';
import { acceptanceRequirements } from '../judge/acceptance/acceptance.ts';
import { type RequestEvidence, requests, responses } from '../judge/evidence/calls.ts';
import type { Catalogue } from '../judge/requirements/catalogue.ts';
import { choice } from '../judge/requirements/define.ts';
import { catalogueOf, fileObject } from '../judge/testing/clean-trace.ts';
import { TraceBuilder, testTraceHeader } from '../judge/testing/trace-builder.ts';
import { withStatus } from '../proof/mutations/exchanges.ts';
import { judgeTrace } from './judge.ts';

const FIELD = 'file:status_details#type';
const SCENARIO = 'files.life';

/** A catalogue of the schemas, with one requirement that one scenario is expected to show. */
function catalogue(more: Partial<Catalogue> = {}, version = testTraceHeader().tool.version): Catalogue {
  return {
    ...catalogueOf(),
    scenarios: [{ name: SCENARIO, shows: new Set([FIELD]) }],
    expectedEvidence: { version, scenarios: new Map([[FIELD, [SCENARIO]]]) },
    ...more,
  };
}

const note = (content: NoteContent): Note => ({ after: 0, ...content });
const ended = note({ note: 'scenario-ended', scenario: SCENARIO });

/** A scenario that retrieves a file without status_details and lists no files, followed by its notes. */
function traceOf(...notes: readonly Note[]): readonly TraceItem[] {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: fileObject.id } }, { json: fileObject });
  trace.add('listFiles', {}, { json: { object: 'list', data: [] } });
  return [...trace.exchanges.map((one) => ({ ...one, scenario: SCENARIO })), ...notes];
}

function verdictOf(all: Catalogue, items: readonly TraceItem[], header = testTraceHeader()) {
  const found = judgeTrace(all, header, items).requirements.find(({ id }) => id === FIELD);
  return [found?.verdict, found?.cause];
}

describe('a MUST without evidence', () => {
  test('is inconclusive if a scenario that shows it completed', () => {
    const received = [
      { operation: 'listFiles', exchange: 'e2', statuses: { 200: 1 }, emptyPages: 1, events: [] },
      { operation: 'retrieveFile', exchange: 'e1', statuses: { 200: 1 }, emptyPages: 0, events: [] },
    ];
    const expected = { scenario: SCENARIO, received, needed: { schema: 'file', path: 'status_details' } };
    expect(verdictOf(catalogue(), traceOf(ended))).toEqual([
      'inconclusive',
      { kind: 'no-evidence', expected },
    ]);
  });

  test('names no arbitrary scenario if several show it, but what all of them received', () => {
    const scenarios = new Map([[FIELD, [SCENARIO, 'files.other', 'files.unended']]]);
    const expectedEvidence = { version: testTraceHeader().tool.version, scenarios };
    const shows = new Set([FIELD]);
    const named = ['files.other', 'files.unended'].map((name) => ({ name, shows }));
    const several = catalogue({ expectedEvidence, scenarios: [{ name: SCENARIO, shows }, ...named] });
    const items = traceOf(ended, note({ note: 'scenario-ended', scenario: 'files.other' })).map((item) =>
      isNote(item) || item.id !== 'e2' ? item : { ...item, scenario: 'files.other' },
    );
    const [verdict, cause] = verdictOf(several, items);
    expect(verdict).toBe('inconclusive');
    expect(cause).toMatchObject({
      kind: 'no-evidence',
      expected: { scenario: SCENARIO, scenarios: 2, received: [{ exchange: 'e2' }, { exchange: 'e1' }] },
    });
  });

  const untested = ['untested', { kind: 'no-evidence' }];

  test.each<readonly [string, Catalogue, readonly Note[]]>([
    ['the scenario did not end', catalogue(), []],
    ['another version of assay made the run', catalogue({}, 'another'), [ended]],
    [
      'no scenario is known to show it',
      catalogue({ expectedEvidence: { version: testTraceHeader().tool.version, scenarios: new Map() } }),
      [ended],
    ],
    [
      'it is declared to be free',
      catalogue({ freeEvidence: [{ free: 'file:*', decides: 'service', reason: 'it may be left out' }] }),
      [ended],
    ],
  ])('is untested if %s', (_, all, notes) => {
    expect(verdictOf(all, traceOf(...notes))).toEqual(untested);
  });

  test('is untested if the run was stopped first', () => {
    const notes = [note({ note: 'stopped', reason: 'interrupted' }), ended];
    const cause = { kind: 'stopped', reason: 'interrupted' };
    expect(verdictOf(catalogue(), traceOf(...notes))).toEqual(['untested', cause]);
  });

  test.each([
    ['an alternative', 'absent', detailsTold()],
    [
      'a name that is not listed and counts as one',
      'in part',
      { ...detailsTold(), taken: () => 'in part', unlisted: 'absent' },
    ],
  ])('is untested, and names the choice, if the target takes %s', (_, alternative, choice) => {
    const cause = { kind: 'no-evidence', choice: { id: choice.id, alternative } };
    expect(verdictOf(catalogue({ choices: [choice] }), traceOf(ended))).toEqual(['untested', cause]);
  });

  test('is inconclusive if the target also takes the alternative that shows it', () => {
    const told = { ...detailsTold(), several: true, unless: 'present' };
    const both = {
      ...mayRefuse(),
      ...{
        alternatives: ['present', 'absent'],
        several: true,
        unless: 'present',
        takesAway: { absent: [FIELD] },
      },
      selector: requests(['listFiles', 'retrieveFile']),
      taken: ({ call }: RequestEvidence) => (call.operation.id === 'listFiles' ? 'present' : 'absent'),
    };
    expect(verdictOf(catalogue({ choices: [told] }), traceOf(ended))[0]).toBe('untested');
    expect(verdictOf(catalogue({ choices: [both] }), traceOf(ended))[0]).toBe('inconclusive');
  });

  test.each([
    ['inconclusive', 'a refusal that nothing explains', { kind: 'answered', status: 400 }],
    ['inconclusive', 'an error of the target', { kind: 'answered', status: 500 }],
    ['inconclusive', 'an answer that lacks what it needs', { kind: 'no-text', pointer: '/id' }],
    ['untested', 'a request that may have come too late', { kind: 'late', status: 400 }],
    ['untested', 'a request beyond the context of the model', { kind: 'context', status: 400 }],
  ] as const)('is %s if the scenario was blocked by %s', (verdict, _, shortfall) => {
    const obstacle = { method: 'GET', path: '/v1/files', ...shortfall } as const;
    const blocked = note({ note: 'blocked', scenario: SCENARIO, by: 'e2', obstacle });
    expect(verdictOf(catalogue(), traceOf(blocked, ended))).toEqual([
      verdict,
      { kind: 'blocked', exchange: 'e2', obstacle },
    ]);
  });

  test.each([
    ['untested', 'is neither claimed nor offered', ['retrieveFile'], 404],
    ['inconclusive', 'is claimed', ['retrieveFile', 'listFiles'], 404],
    ['inconclusive', 'is offered', ['retrieveFile'], 400],
  ] as const)('is %s if it is blocked by an operation that %s', (verdict, _, operations, status) => {
    const header = { ...testTraceHeader(), claims: { how: 'given', families: [], operations } } as const;
    const obstacle = { kind: 'answered', method: 'GET', path: '/v1/files', status } as const;
    const blocked = note({ note: 'blocked', scenario: SCENARIO, by: 'e2', obstacle });
    const items = traceOf(blocked, ended).map((item) =>
      isNote(item) || item.id !== 'e2' ? item : withStatus(item, status),
    );
    expect(verdictOf(catalogue(), items, header)[0]).toBe(verdict);
  });

  const refusal = { kind: 'answered', method: 'GET', path: '/v1/files', status: 400 } as const;
  const blockedByRefusal = note({ note: 'blocked', scenario: SCENARIO, by: 'e2', obstacle: refusal });

  test('is untested if a choice permits the refusal that blocked the scenario', () => {
    const { requirementSets } = catalogue();
    const all = catalogue({
      requirementSets: [...requirementSets, acceptanceRequirements()],
      choices: [mayRefuse()],
    });
    const [first, second, ...notes] = traceOf(blockedByRefusal, ended);
    const items = [first, second].flatMap((item) =>
      item === undefined || isNote(item) ? [] : item.id === 'e2' ? [withStatus(item, 400)] : [item],
    );
    expect(verdictOf(all, [...items, ...notes])[0]).toBe('untested');
  });
});

test('a required field of a response fails once, and its parts are not reported as missing', () => {
  const { status: _, ...rest } = { ...fileObject, id: undefined, status: '' };
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { json: JSON.parse(JSON.stringify(rest)) });
  const items = [...trace.exchanges.map((one) => ({ ...one, scenario: SCENARIO })), ended];
  const all = catalogue();
  const scenarios = new Map([['file:id#type', [SCENARIO]]]);
  const { requirements } = judgeTrace(
    { ...all, expectedEvidence: { version: testTraceHeader().tool.version, scenarios } },
    testTraceHeader(),
    items,
  );
  const verdicts = new Map(requirements.map(({ id, verdict }) => [id, verdict]));
  expect([verdicts.get('file:id#required'), verdicts.get('file:id#type')]).toEqual(['fail', 'untested']);
});

function mayRefuse() {
  return choice({
    id: 'files.list.offered',
    spec: '2 Files',
    says: 'Whether files may be listed.',
    alternatives: ['accepted', 'refused'],
    selector: requests('listFiles'),
    taken: ({ call }) => (call.responseClass === 'accepted' ? 'accepted' : 'refused'),
  });
}

function detailsTold() {
  return choice({
    id: 'files.details.told',
    spec: '2 File',
    says: 'Whether a file has details.',
    alternatives: ['present', 'absent'],
    selector: responses('retrieveFile'),
    taken: () => 'absent',
    takesAway: { absent: [FIELD] },
  });
}
