import { describe, expect, test } from 'vitest';
import type { Judgement, RequirementVerdict } from '../verdict/verdict.ts';
import { applyBaseline, CHANCE_REASON } from './baseline.ts';
import type { BaselineEntry } from './baseline-entry.ts';
import { MISSING_REASON, readBaseline } from './baseline-file.ts';
import { failGateForBaseline } from './baseline-gate.ts';
import { makeBaseline } from './make-baseline.ts';
import { knownEntry, today, verdictOn, wholeRunWith } from './testing/verdicts.ts';

function apply(one: RequirementVerdict, known: BaselineEntry) {
  const { judgement, problems } = applyBaseline(
    wholeRunWith(one),
    { format: 1, known: [known] },
    { today, isRun: true },
  );
  return { baseline: judgement.requirements[0]?.baseline, problems };
}

describe('a listed requirement', () => {
  test('is excused by its reason if it fails in the known way', () => {
    expect(apply(verdictOn('fail', 'a'), knownEntry())).toEqual({ baseline: 'fixed in 2.0', problems: [] });
    expect(apply(verdictOn('warn', 'a'), knownEntry()).baseline).toBe('fixed in 2.0');
  });

  test('is not excused if it also fails in another way', () => {
    const { baseline, problems } = apply(verdictOn('fail', 'a', 'b'), knownEntry());
    expect(baseline).toBeNull();
    expect(problems).toEqual([{ id: 'file:bytes#type', why: 'other-finding', signature: 'b', at: '/bytes' }]);
  });

  test('fails the gate if it passes, but not if it lacks evidence', () => {
    expect(apply(verdictOn('pass'), knownEntry()).problems).toEqual([
      { id: 'file:bytes#type', why: 'passes' },
    ]);
    expect(apply(verdictOn('untested'), knownEntry()).problems).toEqual([]);
  });

  test('fails the gate if it does not exist', () => {
    expect(apply(verdictOn('fail', 'a'), knownEntry({ id: 'x' })).problems).toEqual([
      { id: 'x', why: 'unknown' },
    ]);
  });

  test('is excused up to its last day', () => {
    expect(apply(verdictOn('fail', 'a'), knownEntry({ expires: today })).problems).toEqual([]);
    const late = apply(verdictOn('fail', 'a'), knownEntry({ expires: '2026-11-19' }));
    expect(late).toEqual({
      baseline: null,
      problems: [{ id: 'file:bytes#type', why: 'expired', expires: '2026-11-19' }],
    });
  });
});

describe('a MUST that could not be decided', () => {
  const open: RequirementVerdict = { ...verdictOn('inconclusive'), cause: { kind: 'no-evidence' } };
  const accepted = knownEntry({ signatures: [], undecided: 'no-evidence', reason: 'no tools' });

  test('is listed with the kind of its reason, and read again', () => {
    const written = makeBaseline(wholeRunWith(open), null, 'no tools');
    expect(written.known).toEqual([accepted]);
    expect(readBaseline(JSON.stringify(written), 'b.json')).toEqual(written);
    expect(() => readBaseline(JSON.stringify(makeBaseline(wholeRunWith(open), null)), 'b.json')).toThrow(
      '1 entry has no reason (file:bytes#type). Say why',
    );
  });

  test('is accepted for this kind of reason only, and stays undecided', () => {
    const { judgement } = applyBaseline(
      wholeRunWith(open),
      { format: 1, known: [accepted] },
      { today, isRun: true },
    );
    expect(judgement.requirements[0]).toEqual({ ...open, baseline: 'no tools' });
    expect(apply({ ...open, cause: { kind: 'nesting' } }, accepted)).toEqual({
      baseline: null,
      problems: [],
    });
    expect(apply(open, { ...accepted, expires: '2026-11-19' }).baseline).toBeNull();
  });

  test('hides no failure, and one that now passes is only named', () => {
    expect(apply(verdictOn('fail', 'a'), accepted).baseline).toBeNull();
    const { problems } = apply(verdictOn('pass'), accepted);
    expect(problems).toEqual([{ id: 'file:bytes#type', why: 'decided' }]);
    const gate = { verdict: 'conforms', exitCode: 0, reasons: [] } as const;
    expect(failGateForBaseline(gate, problems)).toMatchObject({ verdict: 'conforms', exitCode: 0 });
  });

  test.for([
    ['it is a SHOULD', { ...open, level: 'SHOULD' }, 'completed'],
    [
      'the target lacked capacity',
      { ...open, cause: { kind: 'capacity', exchange: 'e1', arrival: null } },
      'completed',
    ],
    ['the run ended early', open, 'interrupted'],
  ] as const)('is not listed if %s', ([, one, stopReason]) => {
    expect(makeBaseline({ ...wholeRunWith(one), stopReason }, null, 'x').known).toEqual([]);
  });

  test('is listed itself if its cause has no entry', () => {
    const written = makeBaseline(
      wholeRunWith({ ...open, consequenceOf: ['createFile:accepts#body.x'] }),
      null,
      'no tools',
    );
    expect(written.known).toEqual([accepted]);
  });
});

test('entries of the other side are ignored, and an entry that passes is stale only in a run of the suite', () => {
  const baseline = {
    format: 1,
    known: [knownEntry(), knownEntry({ id: 'client:createFile:body#type' })],
  } as const;
  const passed = wholeRunWith(verdictOn('pass'));
  expect(applyBaseline(passed, baseline, { today, isRun: true }).problems).toEqual([
    { id: 'file:bytes#type', why: 'passes' },
  ]);
  expect(applyBaseline(passed, baseline, { today, isRun: false }).problems).toEqual([]);
});

test('problems fail any gate', () => {
  const gate = { verdict: 'conforms', exitCode: 0, reasons: [] } as const;
  expect(failGateForBaseline(gate, [])).toEqual(gate);
  const problem = { id: 'x', why: 'unknown' } as const;
  expect(failGateForBaseline(gate, [problem])).toEqual({
    verdict: 'does-not-conform',
    exitCode: 1,
    reasons: [{ kind: 'baseline', problem }],
  });
});

describe('a baseline that is written', () => {
  const written = makeBaseline(wholeRunWith(verdictOn('fail', 'b', 'a', 'b')), null);

  test('lists what is broken, once each, without reasons', () => {
    expect(written.known).toEqual([knownEntry({ signatures: ['a', 'b'], reason: MISSING_REASON })]);
    expect(() => readBaseline(JSON.stringify(written), 'b.json')).toThrow(
      'b.json: 1 entry has no reason (file:bytes#type). Say why each failure is accepted, or write the file again with ' +
        '--baseline-write b.json --baseline-reason TEXT.',
    );
  });

  test('names the number of entries without a reason, if several have none', () => {
    const entries = ['a', 'b', 'c'].map((id) => ({ id, signatures: ['s'] }));
    const reasons = [{ reason: ' ' }, { reason: MISSING_REASON }, {}];
    const known = entries.map((entry, n) => ({ ...entry, ...reasons[n] }));
    const text = JSON.stringify({ format: 1, known });
    expect(() => readBaseline(text, 'b.json')).toThrow('b.json: 3 entries have no reason (the first is a).');
    // The placeholder alone is not missing while the file is extended.
    expect(() => readBaseline(text, 'b.json', 'open')).toThrow('b.json: 2 entries have no reason');
  });

  test('keeps reasons that were given before', () => {
    const before = { format: 1, known: [knownEntry({ link: 'https://example.test/1' })] } as const;
    const next = makeBaseline(wholeRunWith(verdictOn('fail', 'b')), before);
    // A run with filters may not show every way in which a requirement fails.
    expect(next.known).toEqual([knownEntry({ signatures: ['a', 'b'], link: 'https://example.test/1' })]);
    expect(readBaseline(JSON.stringify(next), 'b.json')).toEqual(next);
  });

  test('keeps entries about which the judgement shows nothing, even if it is strict', () => {
    const client = knownEntry({ id: 'client:createFile:file#required' });
    const before = { format: 1, known: [knownEntry({}), client] } as const;
    const keptAfter = (verdict: 'pass' | 'untested' | 'error') =>
      makeBaseline(wholeRunWith(verdictOn(verdict)), before, 'x', { isRun: true, isStrict: true }).known;
    for (const verdict of ['untested', 'error'] as const)
      expect(keptAfter(verdict)).toEqual([knownEntry({}), client]);
    expect(keptAfter('pass')).toEqual([client]);
  });

  test('loses entries only if it is strict, and the traffic shows that the failure is gone', () => {
    const before = { format: 1, known: [knownEntry({ signatures: ['a', 'b'] })] } as const;
    const strict = (isRun: boolean, ...signatures: string[]) => {
      const now = wholeRunWith(verdictOn(signatures.length === 0 ? 'pass' : 'fail', ...signatures));
      return makeBaseline(now, before, 'x', { isRun, isStrict: true }).known.map((one) => one.signatures);
    };
    expect([strict(true), strict(true, 'b')]).toEqual([[], [['b']]]);
    // Other traffic may never reach the failure.
    expect(strict(false)).toEqual([['a', 'b']]);
  });

  test('gets the reasons that are still missing in the file', () => {
    const before = readBaseline(JSON.stringify(written), 'b.json', 'open');
    const next = makeBaseline(wholeRunWith(verdictOn('fail', 'b')), before, 'fixed in 2.0');
    expect(next.known.map(({ reason }) => reason)).toEqual(['fixed in 2.0']);
  });
});

test.for([
  ['{', 'is not valid JSON'],
  ['[]', 'is not a baseline'],
  ['{"format":1,"known":[],"choice":{}}', 'has "choice"; it takes format, known, choices'],
  ['{"format":1,"known":[1]}', 'entry 1 must be a JSON object'],
  ['{"format":1,"known":[{"id":""}]}', 'entry 1: id must be'],
  ['{"format":1,"known":[{"id":"a","signatures":[],"reason":"x"}]}', 'signatures must be'],
  [
    '{"format":1,"known":[{"id":"a","signatures":["s"],"reason":"x","expires":"soon"}]}',
    'expires must be a day',
  ],
  [
    '{"format":1,"known":[{"id":"a","undecided":"capacity","reason":"x"}]}',
    'undecided must be one of no-evidence',
  ],
  [
    '{"format":1,"known":[{"id":"a","undecided":"model","signatures":["s"],"reason":"x"}]}',
    'signatures must be',
  ],
  ['{"format":1,"known":[{"id":"a","signature":["s"],"reason":"x"}]}', 'has "signature"; it takes'],
] as const)('%s is rejected with the problem', ([text, message]) => {
  expect(() => readBaseline(text, 'b.json')).toThrow(message);
});

test('an id listed twice is rejected', () => {
  const text = JSON.stringify({ format: 1, known: [knownEntry(), knownEntry()] });
  expect(() => readBaseline(text, 'b.json')).toThrow('lists file:bytes#type twice');
});

describe('with a baseline', () => {
  const passed = Array.from({ length: 100 }, (_, n) => ({ ...verdictOn('pass'), id: `passed-${n}` }));
  const busy = { kind: 'capacity', exchange: 'e1', arrival: null } as const;
  const openFor = (count: number, cause: RequirementVerdict['cause']) =>
    Array.from({ length: count }, (_, n) => ({ ...verdictOn('inconclusive'), id: `open-${n}`, cause }));
  const accepted = (open: readonly RequirementVerdict[], isStrict: boolean) =>
    applyBaseline(
      wholeRunWith(...passed, ...open),
      { format: 1, known: [] },
      { today, isRun: true, isStrict },
    ).judgement.requirements.filter(({ baseline }) => baseline === CHANCE_REASON).length;

  test.for([
    ['a free decision of the model', 2, { kind: 'model', exchange: 'e1' }, false, 2],
    ['a lack of capacity', 2, busy, false, 2],
    ['a lack of capacity for more than two of a hundred requirements', 3, busy, false, 0],
    ['missing evidence, which is not chance', 2, { kind: 'no-evidence' }, false, 0],
    ['a lack of capacity, with a strict baseline', 2, busy, true, 0],
  ] as const)(
    'undecided MUSTs are accepted only if chance explains them: %s',
    ([, count, cause, isStrict, expected]) => {
      expect(accepted(openFor(count, cause), isStrict)).toBe(expected);
    },
  );
});

test('a MUST that chance left undecided is not accepted if its entry has expired', () => {
  const cause = { kind: 'model', exchange: 'e1' } as const;
  const open: RequirementVerdict = { ...verdictOn('inconclusive'), cause };
  const passed = Array.from({ length: 100 }, (_, n) => ({ ...verdictOn('pass'), id: `passed-${n}` }));
  const entry = knownEntry({ signatures: [], undecided: 'model', expires: '2026-11-19' });
  const { judgement } = applyBaseline(
    wholeRunWith(...passed, open),
    { format: 1, known: [entry] },
    { today, isRun: true },
  );
  expect(judgement.requirements.at(-1)?.baseline).toBeNull();
});

describe('an entry whose failure is gone', () => {
  const gate = { verdict: 'conforms', exitCode: 0, reasons: [] } as const;
  const gone = { id: 'file:bytes#type', why: 'passes' } as const;

  test('is reported, and fails only a strict gate', () => {
    expect(failGateForBaseline(gate, [gone])).toEqual({
      ...gate,
      reasons: [{ kind: 'baseline', problem: gone }],
    });
    expect(failGateForBaseline(gate, [gone], { isStrict: true })).toMatchObject({ exitCode: 1 });
  });

  test('is one reason with all others that expired on the same day', () => {
    const [one, two, three] = ['a', 'b', 'c'].map(
      (id) => ({ id, why: 'expired', expires: '2026-11-19' }) as const,
    );
    const earlier = { id: 'd', why: 'expired', expires: '2026-11-18' } as const;
    const { exitCode, reasons } = failGateForBaseline(
      gate,
      [one, gone, earlier, two, three].flatMap((it) => it ?? []),
    );
    expect(exitCode).toBe(1);
    expect(reasons).toEqual(
      [{ ...one, others: ['b', 'c'] }, earlier, gone].map((problem) => ({ kind: 'baseline', problem })),
    );
  });

  test('is not called fixed by a run of selected scenarios, because another one may show the failure', () => {
    const problemsWith = (isStrict: boolean) =>
      applyBaseline(
        wholeRunWith(verdictOn('pass')),
        { format: 1, known: [knownEntry({})] },
        { today, isRun: true, isSelection: true, isStrict },
      ).problems;
    expect([problemsWith(false), problemsWith(true)]).toEqual([
      [{ ...gone, why: 'selection-passes' }],
      [gone],
    ]);
    const { exitCode } = failGateForBaseline(gate, problemsWith(false));
    expect(exitCode).toBe(0);
  });

  test('is not called fixed by a shard either, even for a strict gate', () => {
    const { problems } = applyBaseline(
      wholeRunWith(verdictOn('pass')),
      { format: 1, known: [knownEntry({})] },
      { today, isRun: true, isShard: true, isStrict: true },
    );
    expect(problems).toEqual([{ ...gone, why: 'selection-passes' }]);
    expect(failGateForBaseline(gate, problems, { isStrict: true })).toMatchObject({ exitCode: 0 });
  });

  test('is reported with its number of tries if it is intermittent', () => {
    const known = knownEntry({ intermittent: true });
    expect(apply(verdictOn('pass'), known).problems).toEqual([{ ...gone, why: 'not-shown', tries: 1 }]);
  });

  test('stays in the file if it is intermittent, unless enough tries pass and the file is strict', () => {
    const known = knownEntry({ intermittent: true });
    const before = { format: 1, known: [known] } as const;
    expect(readBaseline(JSON.stringify(before), 'b.json')).toEqual(before);
    expect(makeBaseline(wholeRunWith(verdictOn('pass')), before).known).toEqual([known]);
    expect(makeBaseline(wholeRunWith(verdictOn('fail', 'a')), before).known).toEqual([known]);
    const strict = (one: RequirementVerdict) =>
      makeBaseline(wholeRunWith(one), before, 'x', { isRun: true, isStrict: true }).known;
    expect([
      strict({ ...verdictOn('pass'), observations: 10 }),
      strict({ ...verdictOn('pass'), observations: 9 }),
      strict(verdictOn('fail', 'a')),
      strict(verdictOn('untested')),
    ]).toEqual([[], [known], [known], [known]]);
  });

  test('is marked as intermittent by itself if chance decides whether a run shows it', () => {
    const failure: RequirementVerdict = { ...verdictOn('fail', 'a'), byChance: true };
    const [entry] = makeBaseline(wholeRunWith(failure), null, 'it samples').known;
    expect(entry).toEqual(knownEntry({ intermittent: true, reason: 'it samples' }));
  });

  test('fails a strict gate although it is intermittent, once enough tries pass', () => {
    const strict = (observations: number) => {
      const { problems } = applyBaseline(
        wholeRunWith({ ...verdictOn('pass'), observations }),
        { format: 1, known: [knownEntry({ intermittent: true })] },
        { today, isRun: true, isStrict: true },
      );
      return [problems, failGateForBaseline(gate, problems, { isStrict: true }).exitCode];
    };
    expect(strict(9)).toEqual([[{ ...gone, why: 'not-shown', tries: 9 }], 0]);
    expect(strict(10)).toEqual([[gone], 1]);
  });

  test('hides no other failure although it is intermittent', () => {
    expect(apply(verdictOn('fail', 'b'), knownEntry({ intermittent: true })).baseline).toBeNull();
  });
});

describe('invalid requests that an operation accepts', () => {
  const accepts = (place: string, ...signatures: string[]): RequirementVerdict => ({
    ...verdictOn(signatures.length > 0 ? 'fail' : 'pass', ...signatures),
    id: `createRun:body.${place}.rejected`,
    kind: 'rejected',
  });
  const [model, tools] = [accepts('model#type', 'a'), accepts('tools#type', 'b', 'c')];
  const entry = knownEntry({ id: 'createRun:rejects', signatures: ['a', 'b', 'c'] });
  const outcome = (known: BaselineEntry, ...requirements: RequirementVerdict[]) => {
    const { judgement, problems } = applyBaseline(
      wholeRunWith(...requirements),
      { format: 1, known: [known] },
      { today, isRun: true },
    );
    return { accepted: judgement.requirements.map(({ baseline }) => baseline !== null), problems };
  };

  test('are one entry, which accepts all of them and no other', () => {
    const { known } = makeBaseline(wholeRunWith(model, tools, verdictOn('fail', 'z')), null, 'fixed in 2.0');
    expect(known).toEqual([entry, knownEntry({ signatures: ['z'] })]);
    expect(outcome(entry, model, tools)).toEqual({ accepted: [true, true], problems: [] });
    expect(outcome(entry, model, accepts('top_p#type', 'd'))).toEqual({
      accepted: [true, false],
      problems: [{ id: entry.id, why: 'other-finding', signature: 'd', at: '/bytes' }],
    });
    expect(outcome(entry, { ...model, id: 'createThread:body.model#type.rejected' }).accepted).toEqual([
      false,
    ]);
  });

  test('are stale by the kinds that are rejected now, and expire together', () => {
    const partly = { id: entry.id, why: 'partly-passes', kinds: 1 } as const;
    expect(outcome(entry, accepts('model#type'), tools).problems).toEqual([partly]);
    const gate = { verdict: 'conforms', exitCode: 0, reasons: [] } as const;
    expect(
      [false, true].map((isStrict) => failGateForBaseline(gate, [partly], { isStrict }).exitCode),
    ).toEqual([0, 1]);
    // The signature may belong to a request that was not sent.
    const unsent: RequirementVerdict = { ...accepts('model#type'), verdict: 'untested' };
    expect(outcome(entry, unsent, tools).problems).toEqual([]);
    const stale = outcome(entry, accepts('model#type'), accepts('tools#type'));
    expect(stale.problems).toEqual([{ id: entry.id, why: 'passes' }]);
    expect(outcome({ ...entry, expires: '2026-11-19' }, model).accepted).toEqual([false]);
  });

  test('keep what a filtered run does not show, and an entry of their own', () => {
    const before = { format: 1, known: [entry] } as const;
    const untested: RequirementVerdict = { ...tools, verdict: 'untested', findings: [] };
    expect(makeBaseline(wholeRunWith(model, untested), before).known).toEqual([entry]);
    const mended = wholeRunWith(model, accepts('tools#type'));
    expect(makeBaseline(mended, before).known).toEqual([entry]);
    expect(makeBaseline(mended, before, 'x', { isRun: true, isStrict: true }).known).toEqual([
      { ...entry, signatures: ['a'] },
    ]);
    const own = knownEntry({ id: model.id, reason: 'numbers are names here' });
    const after = makeBaseline(wholeRunWith(model, tools), { format: 1, known: [own] }, 'fixed in 2.0').known;
    expect(after).toEqual([own, { ...entry, signatures: ['b', 'c'] }]);
    expect(outcome(knownEntry({ id: 'createRuns:rejects' }), model).problems).toEqual([
      { id: 'createRuns:rejects', why: 'unknown' },
    ]);
  });
});

describe('choices on which most services agree', () => {
  const choice = { id: 'chat.finish-reason.at-limit', spec: '2', says: 'Which.', consistent: true };
  const shown = (...taken: string[]): Judgement => ({
    ...wholeRunWith(verdictOn('pass')),
    choices: [
      { ...choice, taken, usual: ['length'] },
      { ...choice, id: 'models.list.order', taken: ['oldest first'] },
    ],
  });
  const written = makeBaseline(shown('length'), null);

  test('are written with the baseline, and read again', () => {
    expect(written).toEqual({ format: 1, known: [], choices: { [choice.id]: 'length' } });
    expect(readBaseline(JSON.stringify(written), 'b.json')).toEqual(written);
    expect(() => readBaseline('{"format":1,"known":[],"choices":{"a":1}}', 'b.json')).toThrow(
      'b.json: choices must be an object of strings',
    );
  });

  test('are reported if the target now takes another alternative, which does not fail the gate', () => {
    const outcome = (...taken: string[]) => {
      const { judgement, problems } = applyBaseline(shown(...taken), written, { today, isRun: true });
      return [problems, judgement.choices.map(({ before }) => before)];
    };
    expect(outcome('stop')).toEqual([[], ['length', undefined]]);
    expect(outcome('length', 'stop')).toEqual([[], ['length', undefined]]);
    for (const same of [['length'], []]) expect(outcome(...same)).toEqual([[], [undefined, undefined]]);
  });

  test('fail the gate if they do not exist, and a strict baseline loses them', () => {
    const misspelt = { ...written, choices: { 'chat.finish-reason.at-limt': 'length', 'client.own': 'x' } };
    const { problems } = applyBaseline(shown('length'), misspelt, { today, isRun: false });
    expect(problems).toEqual([
      { id: 'chat.finish-reason.at-limt', why: 'unknown-choice', nearest: [choice.id] },
    ]);
    const gate = failGateForBaseline({ verdict: 'conforms', exitCode: 0, reasons: [] }, problems);
    expect(gate).toMatchObject({ exitCode: 1, reasons: [{ kind: 'baseline', problem: problems[0] }] });
    const rewritten = (isStrict: boolean) =>
      Object.keys(makeBaseline(shown(), misspelt, 'why', { isRun: true, isStrict }).choices ?? {});
    expect(rewritten(false)).toEqual(Object.keys(misspelt.choices));
    expect(rewritten(true)).toEqual(['client.own']);
  });

  test('are rewritten, except those that this traffic does not show', () => {
    expect(makeBaseline(shown('stop'), written).choices).toEqual({ [choice.id]: 'stop' });
    expect(makeBaseline(shown(), written).choices).toEqual({ [choice.id]: 'length' });
    expect(makeBaseline(shown('length', 'stop'), written).choices).toBeUndefined();
  });
});
