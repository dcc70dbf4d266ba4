import { describe, expect, test } from 'vitest';
import type { Obstacle } from '../../exchange/note.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import { blockerWords, causeWords, obstacleWords } from './cause.ts';
import { BREAKDOWNS } from './testing/breakdowns.ts';
import { compileDefinition } from './testing/report-schema.ts';

const request = { method: 'POST', path: '/v1/files' };

const OBSTACLES: Readonly<Record<Obstacle['kind'], readonly [Obstacle, string]>> = {
  answered: [{ ...request, kind: 'answered', status: 500 }, 'POST /v1/files answered 500'],
  unreadable: [
    { ...request, kind: 'unreadable', status: 200 },
    'POST /v1/files answered 200 without a readable body',
  ],
  late: [
    { ...request, kind: 'late', status: 400 },
    'POST /v1/files answered 400, perhaps because it came too late',
  ],
  undecided: [{ ...request, kind: 'undecided', status: 404 }, 'POST /v1/files answered 404, no rejection'],
  control: [
    { ...request, kind: 'control', status: null },
    'POST /v1/files answered nothing to a valid request',
  ],
  context: [
    { ...request, kind: 'context', status: 400 },
    'POST /v1/files answered 400: it exceeds the context of the model',
  ],
  base: [
    { ...request, kind: 'base', status: 404, said: 'model_not_found' },
    'the base request POST /v1/files is refused: 404 model_not_found',
  ],
  unanswered: [{ ...request, kind: 'unanswered', detail: 'ECONNRESET' }, 'POST /v1/files ECONNRESET'],
  'no-text': [
    { ...request, kind: 'no-text', pointer: '/id' },
    'POST /v1/files answered without a text at /id',
  ],
  'no-object': [
    { ...request, kind: 'no-object', object: 'thread.run' },
    'POST /v1/files answered without a thread.run',
  ],
  'other-state': [
    { ...request, kind: 'other-state', state: 'failed', needed: 'succeeded' },
    'POST /v1/files answered with the state failed, not succeeded',
  ],
};

const [obstacle] = OBSTACLES.answered;
const arrival = { what: 'answered', status: 502 } as const;

const CAUSES: Readonly<Record<Cause['kind'], readonly (readonly [Cause, string])[]>> = {
  'not-claimed': [
    [{ kind: 'not-claimed', family: null }, 'not-claimed'],
    [{ kind: 'not-claimed', family: 'chat' }, 'not-claimed: family chat'],
  ],
  filtered: [
    [{ kind: 'filtered', by: null }, 'filtered'],
    [{ kind: 'filtered', by: { option: 'only', globs: ['a.*', 'b'] } }, 'filtered: --only a.*,b'],
  ],
  'not-allowed': [[{ kind: 'not-allowed', cost: 'large' }, 'not-allowed: --allow large']],
  'not-configured': [
    [
      { kind: 'not-configured', missing: { what: 'model', role: 'vision' } },
      'not-configured: model role vision',
    ],
    [{ kind: 'not-configured', missing: { what: 'key' } }, 'not-configured: API key'],
  ],
  stopped: [
    [{ kind: 'stopped', reason: 'target-died' }, 'stopped: the target stopped answering during the run'],
  ],
  'not-feasible': [[{ kind: 'not-feasible', says: 'it takes a day' }, 'not-feasible: it takes a day']],
  'not-implemented': [
    [{ kind: 'not-implemented', operations: [] }, 'not-implemented'],
    [{ kind: 'not-implemented', operations: ['a', 'b'] }, 'not-implemented: a, b'],
  ],
  blocked: [[{ kind: 'blocked', exchange: 'e3', obstacle }, 'blocked: e3 POST /v1/files answered 500']],
  'no-evidence': [
    [{ kind: 'no-evidence' }, 'no-evidence'],
    [
      { kind: 'no-evidence', expected: { scenario: 'a.b', received: [] } },
      'no-evidence: scenario a.b received nothing',
    ],
    [
      {
        kind: 'no-evidence',
        expected: {
          scenario: 'runs.forced',
          received: [
            { operation: 'createRun', exchange: 'e1', statuses: { 200: 2 }, emptyPages: 0, events: ['done'] },
            {
              operation: 'listRunSteps',
              exchange: 'e3',
              statuses: { 200: 1, 400: 1 },
              emptyPages: 1,
              events: [],
            },
          ],
        },
      },
      'no-evidence: scenario runs.forced received createRun 200 (2×) with the events done; listRunSteps 200, 400 with 1 empty page',
    ],
    [
      {
        kind: 'no-evidence',
        expected: {
          scenario: 'chat.images',
          scenarios: 14,
          received: [
            {
              operation: 'createChatCompletion',
              exchange: 'e1',
              statuses: { 200: 40 },
              emptyPages: 0,
              events: [],
            },
          ],
          needed: { schema: 'usage', path: 'total_tokens', types: ['integer'] },
        },
      },
      'no-evidence: 14 scenarios received createChatCompletion 200 (40×), none with an integer at total_tokens of usage',
    ],
  ],
  'target-error': [[{ kind: 'target-error', exchange: 'e3' }, 'the target answered 5xx (e3)']],
  model: [[{ kind: 'model', exchange: 'e3' }, 'the model answered differently, as it may (e3)']],
  capacity: [
    [
      { kind: 'capacity', exchange: 'e3', arrival: null },
      'capacity: the target had none left, or did not answer in time (e3)',
    ],
    [
      { kind: 'capacity', exchange: 'e3', arrival: { what: 'timeout', detail: 'silent for 5 s' } },
      'capacity: silent for 5 s (e3)',
    ],
  ],
  protocol: [
    [
      { kind: 'protocol', exchange: 'e3', arrival: { what: 'reset', detail: null } },
      'protocol: upstream-reset (e3)',
    ],
    [
      { kind: 'protocol', exchange: 'e3', arrival: { what: 'undecodable', codings: ['gzip', 'br'] } },
      'protocol: content that cannot be decoded from gzip, br (e3)',
    ],
    [{ kind: 'protocol', exchange: 'e3', arrival }, 'protocol: answered 502 (e3)'],
  ],
  authentication: [
    [{ kind: 'authentication', exchange: 'e3', arrival }, 'authentication: answered 502 (e3)'],
  ],
  breakdown: BREAKDOWNS,
  nesting: [[{ kind: 'nesting' }, 'protocol: an answer is nested too deeply to be read']],
  deadline: [
    [{ kind: 'deadline', exchange: 'e3', state: 'queued' }, 'deadline passed at e3, last state queued'],
  ],
  erratum: [[{ kind: 'erratum', id: 'null-name', reason: 'It is.' }, 'null-name: It is.']],
  'scenario-crashed': [
    [{ kind: 'scenario-crashed', scenario: 'chat.a', message: 'oops' }, 'scenario chat.a crashed: oops'],
  ],
  defect: [[{ kind: 'defect', message: 'x is not a function' }, 'x is not a function']],
};

describe('a cause', () => {
  const validate = compileDefinition('cause');
  test.for(Object.values(CAUSES).flat())('%j reads: %s', ([cause, words]) => {
    expect(causeWords(cause)).toBe(words);
    validate(cause);
    expect(validate.errors ?? []).toEqual([]);
  });
});

describe('an obstacle', () => {
  const validate = compileDefinition('obstacle');
  test.for(Object.values(OBSTACLES))('%j reads: %s', ([one, words]) => {
    expect(obstacleWords(one)).toBe(words);
    validate(one);
    expect(validate.errors ?? []).toEqual([]);
  });
});

const refused = { exchange: 'e7', message: 'POST /v1/x answered 400', requirements: 24 } as never; // as: the rest is not read

test('a blocker with several exchanges counts them and names the first', () => {
  expect(blockerWords(refused)).toBe('24 requirements blocked by exchange e7: POST /v1/x answered 400');
  expect(blockerWords({ ...(refused as object), exchanges: 22 } as never)).toBe(
    '24 requirements blocked by 22 exchanges, the first e7: POST /v1/x answered 400',
  ); // as: the rest is not read
});
