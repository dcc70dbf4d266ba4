import { describe, expect, test } from 'vitest';
import { isNote, type Note, type NoteContent, type TraceItem } from '../exchange/trace.ts';
import { acceptanceRequirements } from '../judge/acceptance/acceptance.ts';
import { type RequestEvidence, requests, responses } from '../judge/evidence/calls.ts';
import type { Catalogue } from '../judge/requirements/catalogue.ts';
import { choice } from '../judge/requirements/define.ts';
import { catalogueOf } from '../judge/testing/catalogue-of-sets.ts';
import { fileObject } from '../judge/testing/clean-trace.ts';
import { TraceBuilder, testTraceHeader } from '../judge/testing/trace-builder.ts';
import { withStatus } from '../proof/mutations/exchanges.ts';
import { judgeTrace } from './judge.ts';

const FIELD = 'file:status_details#type';
const SCENARIO = 'files.life';

function createCatalogue(more: Partial<Catalogue> = {}, version = testTraceHeader().tool.version): Catalogue {
  return {
    ...catalogueOf(),
    scenarios: [{ name: SCENARIO, shows: new Set([FIELD]) }],
    expectedEvidence: { version, scenarios: new Map([[FIELD, [SCENARIO]]]) },
    ...more,
  };
}

const createNote = (content: NoteContent): Note => ({ after: 0, ...content });
const scenarioEnded = createNote({ note: 'scenario-ended', scenario: SCENARIO });

function traceOf(...notes: readonly Note[]): readonly TraceItem[] {
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: fileObject.id } }, { json: fileObject });
  trace.add('listFiles', {}, { json: { object: 'list', data: [] } });
  return [...trace.exchanges.map((one) => ({ ...one, scenario: SCENARIO })), ...notes];
}

function verdictOf(catalogue: Catalogue, items: readonly TraceItem[], header = testTraceHeader()) {
  const { requirements } = judgeTrace(catalogue, header, items);
  const requirement = requirements.find(({ id }) => id === FIELD);
  return [requirement?.verdict, requirement?.cause];
}

describe('a MUST without evidence', () => {
  test('is inconclusive if a scenario that shows it completed', () => {
    const received = [
      { operation: 'listFiles', exchange: 'e2', statuses: { 200: 1 }, emptyPages: 1, events: [] },
      { operation: 'retrieveFile', exchange: 'e1', statuses: { 200: 1 }, emptyPages: 0, events: [] },
    ];
    const expected = { scenario: SCENARIO, received, needed: { schema: 'file', path: 'status_details' } };
    expect(verdictOf(createCatalogue(), traceOf(scenarioEnded))).toEqual([
      'inconclusive',
      { kind: 'no-evidence', expected },
    ]);
  });

  test('counts the completed scenarios that show it, and lists what all of them received', () => {
    const scenarios = new Map([[FIELD, [SCENARIO, 'files.other', 'files.unended']]]);
    const expectedEvidence = { version: testTraceHeader().tool.version, scenarios };
    const shows = new Set([FIELD]);
    const otherScenarios = ['files.other', 'files.unended'].map((name) => ({ name, shows }));
    const several = createCatalogue({
      expectedEvidence,
      scenarios: [{ name: SCENARIO, shows }, ...otherScenarios],
    });
    const items = traceOf(scenarioEnded, createNote({ note: 'scenario-ended', scenario: 'files.other' })).map(
      (item) => (isNote(item) || item.id !== 'e2' ? item : { ...item, scenario: 'files.other' }),
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
    ['the scenario did not end', createCatalogue(), []],
    ['another version of assay made the run', createCatalogue({}, 'another'), [scenarioEnded]],
    [
      'no scenario is known to show it',
      createCatalogue({
        expectedEvidence: { version: testTraceHeader().tool.version, scenarios: new Map() },
      }),
      [scenarioEnded],
    ],
    [
      'its evidence is declared free',
      createCatalogue({
        freeEvidence: [{ free: 'file:*', decides: 'service', reason: 'it may be left out' }],
      }),
      [scenarioEnded],
    ],
  ])('is untested if %s', (_, catalogue, notes) => {
    expect(verdictOf(catalogue, traceOf(...notes))).toEqual(untested);
  });

  test('is untested if the run was stopped first', () => {
    const notes = [createNote({ note: 'stopped', reason: 'interrupted' }), scenarioEnded];
    const cause = { kind: 'stopped', reason: 'interrupted' };
    expect(verdictOf(createCatalogue(), traceOf(...notes))).toEqual(['untested', cause]);
  });

  test.each([
    ['an alternative that suppresses its evidence', 'absent', createDetailsChoice()],
    [
      'an unlisted name that counts as such an alternative',
      'in part',
      { ...createDetailsChoice(), taken: () => 'in part', unlisted: 'absent' },
    ],
  ])('is untested, and names the choice, if the target takes %s', (_, alternative, choice) => {
    const cause = { kind: 'no-evidence', choice: { id: choice.id, alternative } };
    expect(verdictOf(createCatalogue({ choices: [choice] }), traceOf(scenarioEnded))).toEqual([
      'untested',
      cause,
    ]);
  });

  test('is inconclusive only if the target also takes the alternative that shows it', () => {
    const severalDetails = { ...createDetailsChoice(), several: true, unless: 'present' };
    const both = {
      ...createListingChoice(),
      alternatives: ['present', 'absent'],
      several: true,
      unless: 'present',
      takesAway: { absent: [FIELD] },
      selector: requests(['listFiles', 'retrieveFile']),
      taken: ({ call }: RequestEvidence) => (call.operation.id === 'listFiles' ? 'present' : 'absent'),
    };
    expect(verdictOf(createCatalogue({ choices: [severalDetails] }), traceOf(scenarioEnded))[0]).toBe(
      'untested',
    );
    expect(verdictOf(createCatalogue({ choices: [both] }), traceOf(scenarioEnded))[0]).toBe('inconclusive');
  });

  test.each([
    ['inconclusive', 'a refusal that nothing explains', { kind: 'answered', status: 400 }],
    ['inconclusive', 'an error of the target', { kind: 'answered', status: 500 }],
    ['inconclusive', 'an answer that lacks what it needs', { kind: 'no-text', pointer: '/id' }],
    ['untested', 'a request that may have come too late', { kind: 'late', status: 400 }],
    ['untested', 'a request beyond the context of the model', { kind: 'context', status: 400 }],
  ] as const)('is %s if the scenario was blocked by %s', (verdict, _, shortfall) => {
    const obstacle = { method: 'GET', path: '/v1/files', ...shortfall } as const;
    const blocked = createNote({ note: 'blocked', scenario: SCENARIO, by: 'e2', obstacle });
    expect(verdictOf(createCatalogue(), traceOf(blocked, scenarioEnded))).toEqual([
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
    const blocked = createNote({ note: 'blocked', scenario: SCENARIO, by: 'e2', obstacle });
    const items = traceOf(blocked, scenarioEnded).map((item) =>
      isNote(item) || item.id !== 'e2' ? item : withStatus(item, status),
    );
    expect(verdictOf(createCatalogue(), items, header)[0]).toBe(verdict);
  });

  const refusal = { kind: 'answered', method: 'GET', path: '/v1/files', status: 400 } as const;
  const blockedByRefusal = createNote({ note: 'blocked', scenario: SCENARIO, by: 'e2', obstacle: refusal });

  test('is untested if a choice permits the refusal that blocked the scenario', () => {
    const { requirementSets } = createCatalogue();
    const catalogue = createCatalogue({
      requirementSets: [...requirementSets, acceptanceRequirements()],
      choices: [createListingChoice()],
    });
    const items = traceOf(blockedByRefusal, scenarioEnded).map((item) =>
      isNote(item) || item.id !== 'e2' ? item : withStatus(item, 400),
    );
    expect(verdictOf(catalogue, items)[0]).toBe('untested');
  });
});

test('a missing required field fails one requirement, and the type of its value is untested', () => {
  const { id: _, ...fileWithoutId } = fileObject;
  const trace = new TraceBuilder();
  trace.add('retrieveFile', { path: { file_id: 'file-1' } }, { json: fileWithoutId });
  const items = [...trace.exchanges.map((one) => ({ ...one, scenario: SCENARIO })), scenarioEnded];
  const scenarios = new Map([['file:id#type', [SCENARIO]]]);
  const { requirements } = judgeTrace(
    createCatalogue({ expectedEvidence: { version: testTraceHeader().tool.version, scenarios } }),
    testTraceHeader(),
    items,
  );
  expect(requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([
    'file:id#required',
  ]);
  expect(requirements.find(({ id }) => id === 'file:id#type')?.verdict).toBe('untested');
});

function createListingChoice() {
  return choice({
    id: 'files.list.offered',
    spec: '2 Files',
    says: 'Whether files may be listed.',
    alternatives: ['accepted', 'refused'],
    selector: requests('listFiles'),
    taken: ({ call }) => (call.responseClass === 'accepted' ? 'accepted' : 'refused'),
  });
}

function createDetailsChoice() {
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
