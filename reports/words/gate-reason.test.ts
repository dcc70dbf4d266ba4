import { describe, expect, test } from 'vitest';
import type { GateReason } from '../../judge/verdict/gate-result.ts';
import { gateWords } from './gate-reason.ts';
import { TOOLS_BREAKDOWN } from './testing/breakdowns.ts';
import { compileDefinition } from './testing/report-schema.ts';

const entry = { id: 'file:id#type' };
const targetDeath = { reason: 'target-died', detail: 'ECONNREFUSED', underWay: [] } as const;

const REASONS: readonly (readonly [GateReason, string])[] = [
  [{ kind: 'broken', level: 'MUST', count: 1 }, '1 MUST is broken'],
  [{ kind: 'broken', level: 'SHOULD', count: 2 }, '2 SHOULDs are broken'],
  [
    { kind: 'pinned-choice', id: 'runs.usage.of-steps', pinned: 'the sum', taken: ['another number'] },
    'the choice runs.usage.of-steps is "another number", but the dialect pins it to "the sum"',
  ],
  [{ kind: 'not-implemented', operations: ['a', 'b'] }, 'claimed, but not implemented: a, b'],
  [{ kind: 'not-exercised', operations: ['a'] }, 'claimed, but never exercised: a'],
  [
    { kind: 'stopped', reason: 'target-died', stop: targetDeath },
    'the target stopped answering during the run: ECONNREFUSED',
  ],
  [
    {
      kind: 'stopped',
      reason: 'target-died',
      stop: {
        ...targetDeath,
        underWay: [
          { method: 'POST', path: '/v1/files', exchange: 'e12', invalid: true },
          { method: 'POST', path: '/v1/files', exchange: 'e9' },
        ],
      },
    },
    'the target stopped answering at exchange e9: ECONNREFUSED; in flight: POST /v1/files (e12, e9)',
  ],
  [
    { kind: 'broken', level: 'MUST', count: 15, faults: [{ requirements: 15, fault: TOOLS_BREAKDOWN }] },
    '15 MUSTs are broken, all for one cause: the service answers 500 to tools: 34 of 34 requests with it, 0 of 100 without',
  ],
  [
    {
      kind: 'broken',
      level: 'MUST',
      count: 8,
      consequences: 2,
      faults: [
        { requirements: 5, fault: TOOLS_BREAKDOWN },
        { requirements: 2, fault: { ...TOOLS_BREAKDOWN, id: 'createRun:accepts#body.tools' } },
      ],
    },
    '8 MUSTs are broken, and 2 more for shared causes, 5 of them for one cause: the service answers 500 to tools: 34 of 34 requests with it, 0 of 100 without; and 1 more such fault',
  ],
  [
    { kind: 'inconclusive', count: 42, faults: [{ requirements: 42, fault: TOOLS_BREAKDOWN }] },
    '42 MUSTs could not be decided, all because the service answers 500 to tools',
  ],
  [{ kind: 'stopped', reason: 'interrupted', stop: { reason: 'interrupted' } }, 'the run was interrupted'],
  [{ kind: 'defects', count: 1 }, '1 requirement hit a defect of assay itself'],
  [{ kind: 'nothing-judged' }, 'nothing was judged'],
  [{ kind: 'inconclusive', count: 3 }, '3 MUSTs could not be decided'],
  [{ kind: 'known-failures', count: 1 }, 'with 1 known failure'],
  [
    { kind: 'baseline', problem: { ...entry, why: 'unknown' } },
    'the baseline lists file:id#type, which is not the id of a requirement: correct or remove the entry',
  ],
  [
    {
      kind: 'baseline',
      problem: { id: 'models.list.ordr', why: 'unknown-choice', nearest: ['models.list.order'] },
    },
    '"choices" in the baseline lists models.list.ordr, which is not the id of a choice; the nearest is models.list.order: correct or remove the line',
  ],
  [
    { kind: 'baseline', problem: { ...entry, why: 'passes' } },
    'the baseline lists file:id#type, which passes now: remove the entry, or mark it "intermittent": true if only some tries fail',
  ],
  [
    { kind: 'baseline', problem: { ...entry, why: 'not-shown', tries: 3 } },
    'file:id#type is listed as intermittent and did not fail this time, in 3 tries',
  ],
  [
    { kind: 'baseline', problem: { ...entry, why: 'selection-passes' } },
    'the baseline lists file:id#type, which passes in the selected scenarios: a whole run tells whether its entry can be removed',
  ],
  [
    { kind: 'baseline', problem: { id: 'createRun:rejects', why: 'partly-passes', kinds: 2 } },
    'the baseline entry createRun:rejects lists 2 kinds of invalid requests that the operation rejects now',
  ],
  [
    { kind: 'baseline', problem: { id: 'createRun:rejects', why: 'partly-passes', kinds: 1 } },
    'the baseline entry createRun:rejects lists 1 kind of invalid request that the operation rejects now',
  ],
  [
    { kind: 'baseline', problem: { ...entry, why: 'expired', expires: '2026-01-01' } },
    '1 entry of the baseline expired on 2026-01-01: file:id#type',
  ],
  [
    {
      kind: 'baseline',
      problem: {
        ...entry,
        why: 'expired',
        expires: '2026-01-01',
        others: ['b', 'c', 'd', 'e', 'f', 'g', 'h'],
      },
    },
    '8 entries of the baseline expired on 2026-01-01: file:id#type, b, c, d, e, f and 2 more',
  ],
  [
    { kind: 'baseline', problem: { ...entry, why: 'other-finding', signature: 'b', at: '/bytes' } },
    'file:id#type fails in a way that the baseline does not list (b at /bytes)',
  ],
];

describe('a reason of the verdict', () => {
  const validate = compileDefinition('gateReason');
  test.for(REASONS)('%j reads: %s', ([reason, words]) => {
    expect(gateWords(reason)).toBe(words);
    validate(reason);
    expect(validate.errors ?? []).toEqual([]);
  });
});

test('the reason for accepted invalid requests counts their kinds and names their operations', () => {
  const reason = {
    kind: 'lenient-validation',
    count: 2,
    operations: ['createRun'],
    tolerated: false,
  } as const;
  expect(gateWords(reason)).toBe('2 kinds of invalid requests are accepted, by createRun');
  expect(gateWords({ ...reason, count: 1, tolerated: true })).toBe(
    '1 kind of invalid request is accepted, by createRun, which --tolerate lenient-validation accepts',
  );
});

test('the reason for requirements that clients rely on counts them, and names them if they are few, else their operations', () => {
  const reason = {
    kind: 'clients',
    count: 2,
    operations: ['createChatCompletion'],
    tolerated: false,
  } as const;
  const words = '2 requirements that clients rely on are broken, in createChatCompletion';
  expect(gateWords(reason)).toBe(words);
  expect(gateWords({ ...reason, tolerated: true })).toBe(`${words}, which --tolerate clients accepts`);
  expect(gateWords({ ...reason, count: 4, ids: ['a', 'b', 'c', 'd'] })).toBe(words.replace('2', '4'));
  expect(gateWords({ ...reason, count: 1, ids: ['chat.stream.call-index'], tolerated: true })).toBe(
    '1 requirement that clients rely on is broken: chat.stream.call-index, which --tolerate clients accepts',
  );
});
