import { describe, expect, test } from 'vitest';
import { evaluateGate, type GateOptions, TOLERABLE } from './gate.ts';
import { type Judgement, NO_ANSWER, type OperationVerdict, type RequirementVerdict } from './verdict.ts';

const OPTIONS: GateOptions = { failOn: 'must', allowInconclusive: false };

function requirement(overrides: Partial<RequirementVerdict> = {}): RequirementVerdict {
  return {
    id: 'file:id#type',
    kind: 'schema',
    family: 'files',
    operations: ['createFile'],
    level: 'MUST',
    basis: 'stated',
    spec: '2 File',
    says: 'file: id is a string.',
    verdict: 'pass',
    cause: null,
    observations: 1,
    baseline: null,
    findings: [],
    findingsTotal: 0,
    ...overrides,
  };
}

function operation(overrides: Partial<OperationVerdict> = {}): OperationVerdict {
  const route = { id: 'createFile', method: 'POST', path: '/v1/files', family: 'files' };
  return { ...route, claimed: true, exercised: 1, notImplemented: false, ...overrides };
}

function judgement(overrides: Partial<Judgement> = {}): Judgement {
  const cost = { requests: 1, bytes: 1, tokens: 0 };
  return {
    requirements: [requirement()],
    errata: [],
    choices: [],
    operations: [operation()],
    blockers: [],
    stopReason: 'completed',
    cost,
    ...overrides,
  };
}

test('a choice that is pinned to another alternative fails the run', () => {
  const choice = { id: 'runs.usage.of-steps', spec: '2 Run', says: 'Whether.', consistent: true };
  const gate = (taken: readonly string[], pinned?: string) =>
    evaluateGate(judgement({ choices: [{ ...choice, taken, ...(pinned && { pinned }) }] }), OPTIONS);
  expect(gate(['another number'], 'the sum')).toEqual({
    verdict: 'does-not-conform',
    exitCode: 1,
    reasons: [{ kind: 'pinned-choice', id: choice.id, pinned: 'the sum', taken: ['another number'] }],
  });
  expect(gate(['the sum', 'another number'], 'the sum').exitCode).toBe(1);
  expect(gate(['another number'])).toMatchObject({ verdict: 'conforms', exitCode: 0 });
});

test('a choice counts as judged if it breaks its pin, or keeps it and --only selects it but no requirement', () => {
  const choice = { id: 'runs.usage.of-steps', spec: '2 Run', says: 'Whether.', consistent: true };
  const gate = (pin: object, only: readonly string[] = []) =>
    evaluateGate(judgement({ requirements: [], choices: [{ ...choice, taken: ['the sum'], ...pin }] }), {
      ...OPTIONS,
      only,
    });
  expect(gate({ kept: 'the sum' }, ['runs.usage.*'])).toMatchObject({ verdict: 'conforms', exitCode: 0 });
  // A target that answers nothing but errors may show a choice.
  for (const only of [[], ['runs.create.*']])
    expect(gate({ kept: 'the sum' }, only)).toMatchObject({
      exitCode: 2,
      reasons: [{ kind: 'nothing-judged' }],
    });
  const withUntested = judgement({
    requirements: [untested],
    choices: [{ ...choice, taken: ['the sum'], kept: 'the sum' }],
  });
  const options = { ...OPTIONS, allowInconclusive: true, traffic: 'any' } as const;
  expect(evaluateGate(withUntested, { ...options, only: ['*'] }).exitCode).toBe(2);
  expect(gate({ pinned: 'other' }).reasons.map(({ kind }) => kind)).toEqual(['pinned-choice']);
  expect(gate({}).reasons).toEqual([{ kind: 'nothing-judged' }]);
});

const pass = requirement();
const fail = requirement({ verdict: 'fail', findingsTotal: 1 });
const warn = requirement({ verdict: 'warn', level: 'SHOULD', findingsTotal: 1 });
const open = requirement({ verdict: 'inconclusive' });
const openAdvice = requirement({ verdict: 'inconclusive', level: 'SHOULD' });
const defect = requirement({ verdict: 'error' });
const untested = requirement({ verdict: 'untested', cause: { kind: 'no-evidence' }, observations: 0 });
const idle = operation({ id: 'listFiles', exercised: 0 });
/** Another variant of an exercised operation. */
const otherVariant = operation({ family: 'other-files', exercised: 0 });
const absent = operation({ exercised: 0, notImplemented: true });
const lateRoute = { method: 'POST', path: '/v1/batches/{batch_id}/cancel' };
const late = operation({ ...lateRoute, id: 'cancelBatch', family: 'batches', exercised: 0 });
const lateProbe = requirement({
  operations: ['cancelBatch'],
  verdict: 'untested',
  cause: { kind: 'blocked', exchange: 'e1', obstacle: { ...lateRoute, kind: 'late', status: 409 } },
});
const lateOpen = requirement({ operations: ['cancelBatch'], verdict: 'inconclusive' });

const TABLE: readonly [string, Partial<Judgement>, Partial<GateOptions>, string, number][] = [
  ['everything passes', {}, {}, 'conforms', 0],
  [
    'an operation always comes too late',
    { operations: [operation(), late], requirements: [pass, lateProbe] },
    {},
    'conforms',
    0,
  ],
  [
    'a MUST is open because an operation always comes too late',
    { operations: [operation(), late], requirements: [pass, lateProbe, lateOpen] },
    {},
    'cannot-tell',
    2,
  ],
  [
    'open MUSTs are allowed, but an operation is never exercised because it always comes too late',
    { operations: [operation(), late], requirements: [pass, lateProbe, lateOpen] },
    { allowInconclusive: true },
    'cannot-tell',
    2,
  ],
  [
    'a baseline lists the MUST that is open because an operation always comes too late',
    {
      operations: [operation(), late],
      requirements: [pass, lateProbe, { ...lateOpen, baseline: 'the service ends its batches at once' }],
    },
    {},
    'conforms',
    0,
  ],
  ['only one variant is exercised', { operations: [operation(), otherVariant] }, {}, 'conforms', 0],
  ['a MUST is broken', { requirements: [pass, fail] }, {}, 'does-not-conform', 1],
  ['a known MUST is broken', { requirements: [pass, { ...fail, baseline: 'known' }] }, {}, 'conforms', 0],
  ['a SHOULD is broken', { requirements: [pass, warn] }, {}, 'conforms', 0],
  [
    'a SHOULD is broken and SHOULDs count',
    { requirements: [pass, warn] },
    { failOn: 'should' },
    'does-not-conform',
    1,
  ],
  [
    'a MUST is broken and failures never count',
    { requirements: [fail] },
    { failOn: 'never' },
    'does-not-conform',
    0,
  ],
  ['a claimed operation is absent', { operations: [operation(), absent] }, {}, 'does-not-conform', 1],
  [
    'an unclaimed operation is absent',
    { operations: [operation(), { ...absent, claimed: false }] },
    {},
    'conforms',
    0,
  ],
  ['a claimed operation is idle', { operations: [operation(), idle] }, {}, 'cannot-tell', 2],
  [
    'an unclaimed operation is idle',
    { operations: [operation(), { ...idle, claimed: false }] },
    {},
    'conforms',
    0,
  ],
  [
    'a claimed operation is idle because of the filters of the run',
    {
      operations: [idle],
      requirements: [pass, { ...untested, cause: { kind: 'filtered', by: null }, operations: ['listFiles'] }],
    },
    {},
    'conforms',
    0,
  ],
  [
    'a claimed operation is idle, and the filters concern another one',
    {
      operations: [idle],
      requirements: [
        pass,
        { ...untested, cause: { kind: 'filtered', by: null }, operations: ['createFile'] },
      ],
    },
    {},
    'cannot-tell',
    2,
  ],
  ['a MUST is open', { requirements: [pass, open] }, {}, 'cannot-tell', 2],
  [
    'a MUST is open and open MUSTs are allowed',
    { requirements: [pass, open] },
    { allowInconclusive: true },
    'conforms',
    0,
  ],
  ['a SHOULD is open', { requirements: [pass, openAdvice] }, {}, 'conforms', 0],
  ['assay has a defect', { requirements: [pass, defect] }, {}, 'cannot-tell', 2],
  ['nothing was judged', { requirements: [untested] }, {}, 'cannot-tell', 2],
  ['there are no requirements and no operations', { requirements: [], operations: [] }, {}, 'cannot-tell', 2],
  ['the target was unreachable', { stopReason: 'target-unreachable' }, {}, 'cannot-tell', 2],
  ['the target died', { stopReason: 'target-died' }, {}, 'cannot-tell', 2],
  [
    'a MUST is broken, another one is open, and assay has a defect',
    { requirements: [fail, open, defect] },
    {},
    'does-not-conform',
    1,
  ],
  [
    'a MUST is broken, another one is open, and failures never count',
    { requirements: [fail, open] },
    { failOn: 'never' },
    'does-not-conform',
    2,
  ],
];

describe('the gate', () => {
  test.each(TABLE.map(([name, given, options, ...decision]) => [...decision, name, given, options] as const))(
    'has the verdict %s and the exit code %i if %s',
    (verdict, exitCode, _, given, options) => {
      expect(evaluateGate(judgement(given), { ...OPTIONS, ...options })).toMatchObject({ verdict, exitCode });
    },
  );

  test('lists failures before inconclusive requirements', () => {
    const { reasons } = evaluateGate(
      judgement({ requirements: [fail, open], operations: [absent, idle] }),
      OPTIONS,
    );
    expect(reasons).toEqual([
      { kind: 'broken', level: 'MUST', count: 1 },
      { kind: 'not-implemented', operations: ['createFile'] },
      { kind: 'not-exercised', operations: ['listFiles'] },
      { kind: 'inconclusive', count: 1 },
    ]);
  });

  test('lists the death of a target, but not an interruption, before its possible consequences', () => {
    const { reasons } = evaluateGate(
      judgement({ requirements: [fail, open], operations: [idle], stopReason: 'target-died' }),
      OPTIONS,
    );
    expect(reasons.map(({ kind }) => kind)).toEqual(['stopped', 'broken', 'not-exercised', 'inconclusive']);
    const interrupted = judgement({ requirements: [fail], stopReason: 'interrupted' });
    expect(evaluateGate(interrupted, OPTIONS).reasons.map(({ kind }) => kind)).toEqual(['broken', 'stopped']);
  });

  test('names a fault that several requirements share, and none that one has alone', () => {
    const share = { failed: 9, total: 9 };
    const facts = { features: ['body.tools'], statuses: [500], with: share, without: share };
    const [tools, stop] = [
      { id: 'a', ...facts },
      { id: 'b', ...facts },
    ];
    const requirements = [
      requirement({ id: 'one', verdict: 'fail', findingsTotal: 1, faults: [tools] }),
      requirement({ id: 'two', verdict: 'fail', findingsTotal: 1, faults: [stop, tools] }),
      requirement({
        id: 'known',
        verdict: 'fail',
        findingsTotal: 1,
        faults: [stop, tools],
        baseline: 'soon',
      }),
      ...['three', 'four'].map((id) =>
        requirement({
          id,
          verdict: 'inconclusive',
          cause: { kind: 'breakdown', exchange: 'e1', faults: [stop] },
        }),
      ),
    ];
    expect(evaluateGate(judgement({ requirements }), OPTIONS).reasons).toEqual([
      { kind: 'broken', level: 'MUST', count: 2, faults: [{ requirements: 2, fault: tools }] },
      { kind: 'inconclusive', count: 2, faults: [{ requirements: 2, fault: stop }] },
    ]);
  });

  test('lists operations that were never exercised, unless an unreachable target exercised none', () => {
    const reasons = (stopReason: 'target-unreachable' | 'target-died', exercised = 0) =>
      evaluateGate(judgement({ operations: [operation({ exercised }), idle], stopReason }), OPTIONS).reasons;
    const kinds = (...all: Parameters<typeof reasons>) => reasons(...all).map(({ kind }) => kind);
    const idleReason = { kind: 'not-exercised', operations: ['listFiles'] };
    expect(kinds('target-unreachable')).not.toContain('not-exercised');
    expect(reasons('target-unreachable', 1)).toContainEqual(idleReason);
    expect(reasons('target-died', 1)).toContainEqual(idleReason);
  });

  test('counts the failures that a baseline accepts', () => {
    const known = { ...fail, baseline: 'tracked elsewhere' };
    expect(evaluateGate(judgement({ requirements: [pass, known] }), OPTIONS).reasons).toEqual([
      { kind: 'known-failures', count: 1 },
    ]);
  });

  test('counts what a baseline accepts in the same way as other failures', () => {
    const finding = { causeId: 'createFile:accepts#body.purpose' } as never; // as: the cause is all that is read
    const caused = { consequenceOf: ['createFile:accepts#body.purpose'] };
    const all = [
      pass,
      { ...fail, findings: [finding] },
      { ...fail, ...caused, id: 'b' },
      { ...open, id: 'c' },
      { ...open, ...caused, id: 'd' },
    ];
    expect(evaluateGate(judgement({ requirements: all }), OPTIONS).reasons).toEqual([
      { kind: 'broken', level: 'MUST', count: 1, consequences: 1 },
      { kind: 'inconclusive', count: 1 },
    ]);
    const known = all.map((one) => (one === pass ? one : { ...one, baseline: 'tracked elsewhere' }));
    expect(evaluateGate(judgement({ requirements: known }), OPTIONS).reasons).toEqual([
      { kind: 'known-failures', count: 1, consequences: 1 },
      { kind: 'accepted-undecided', count: 1, byBaseline: 1 },
    ]);
  });

  test('counts the MUSTs that it passes undecided, because of a baseline or an option', () => {
    const listed = { ...open, baseline: 'the service has no tools' };
    const accepted = (count: number) => [{ kind: 'accepted-undecided', count, byBaseline: 1 }];
    expect(evaluateGate(judgement({ requirements: [pass, listed] }), OPTIONS)).toEqual({
      verdict: 'conforms',
      exitCode: 0,
      reasons: accepted(1),
    });
    const both = judgement({ requirements: [pass, listed, open] });
    expect(evaluateGate(both, OPTIONS)).toMatchObject({
      verdict: 'cannot-tell',
      reasons: [{ kind: 'inconclusive', count: 1 }],
    });
    expect(evaluateGate(both, { ...OPTIONS, allowInconclusive: true }).reasons).toEqual(accepted(2));
  });
});

test('requirements that clients rely on are counted separately, and can be tolerated', () => {
  const broken = requirement({ id: 'chat.stream.call-index', basis: 'clients', verdict: 'fail' });
  const one = judgement({ requirements: [requirement(), broken] });
  const reason = { kind: 'clients', count: 1, operations: broken.operations, ids: [broken.id] } as const;
  expect(evaluateGate(one, OPTIONS)).toEqual({
    verdict: 'does-not-conform',
    exitCode: 1,
    reasons: [{ ...reason, tolerated: false }],
  });
  expect(evaluateGate(one, { ...OPTIONS, tolerate: ['clients'] })).toEqual({
    verdict: 'conforms',
    exitCode: 0,
    reasons: [{ ...reason, tolerated: true }],
  });
});

describe('a service that accepts invalid requests', () => {
  const lenient = ['createFile:body.a#type.rejected', 'createFile:body.b#type.rejected'].map((id) =>
    requirement({ id, kind: 'rejected', verdict: 'fail' }),
  );
  const reason = { kind: 'lenient-validation', count: 2, operations: ['createFile'] } as const;
  const tolerant: GateOptions = { ...OPTIONS, tolerate: ['lenient-validation'] };
  const finding = { at: '', expected: 'a refusal', exchange: 'e1', signature: '1' };

  test('fails the run, counted separately from wrong responses', () => {
    const both = judgement({ requirements: [...lenient, requirement({ verdict: 'fail' })] });
    expect(evaluateGate(both, OPTIONS)).toEqual({
      verdict: 'does-not-conform',
      exitCode: 1,
      reasons: [
        { kind: 'broken', level: 'MUST', count: 1 },
        { ...reason, tolerated: false },
      ],
    });
  });

  test('conforms if that is tolerated, and is reported', () => {
    const alone = judgement({ requirements: [requirement(), ...lenient] });
    expect(evaluateGate(alone, tolerant)).toEqual({
      verdict: 'conforms',
      exitCode: 0,
      reasons: [{ ...reason, tolerated: true }],
    });
    expect(evaluateGate(alone, OPTIONS).exitCode).toBe(1);
  });

  const refusalFailure = (actual: number | string) =>
    requirement({ kind: 'rejected', verdict: 'fail', findings: [{ ...finding, actual }] });
  test.each<[string, RequirementVerdict]>([
    ['a wrong response', requirement({ verdict: 'fail' })],
    ['a 500 to an invalid request', refusalFailure(500)],
    ['an invalid request without a response', refusalFailure(NO_ANSWER)],
  ])('does not conform for %s, whatever is tolerated', (_, broken) => {
    const both = judgement({ requirements: [...lenient, broken] });
    expect(evaluateGate(both, { ...OPTIONS, tolerate: TOLERABLE })).toMatchObject({
      verdict: 'does-not-conform',
      exitCode: 1,
      reasons: [
        { kind: 'broken', count: 1 },
        { ...reason, tolerated: true },
      ],
    });
  });
});
