import { describe, expect, test } from 'vitest';
import type { RequirementVerdict } from '../verdict/verdict.ts';
import { applyBaseline, CHANCE_REASON } from './baseline.ts';
import type { BaselineEntry } from './baseline-entry.ts';
import { failGateForBaseline } from './baseline-gate.ts';
import {
  knownEntry,
  LIMIT_CHOICE,
  today,
  verdictOn,
  verdictOnInvalid,
  wholeRunTaking,
  wholeRunWith,
} from './testing/verdicts.ts';

const gate = { verdict: 'conforms', exitCode: 0, reasons: [] } as const;
const passing = { id: 'file:bytes#type', why: 'passes' } as const;
const hundredPasses = Array.from({ length: 100 }, (_, n) => ({ ...verdictOn('pass'), id: `passed-${n}` }));

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

  test('is reported if it passes, but not if it lacks evidence', () => {
    expect(apply(verdictOn('pass'), knownEntry()).problems).toEqual([
      { id: 'file:bytes#type', why: 'passes' },
    ]);
    expect(apply(verdictOn('untested'), knownEntry()).problems).toEqual([]);
  });

  test('is reported as unknown if it does not exist', () => {
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

  test('is accepted only for this kind of cause and until its entry expires, and stays undecided', () => {
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

  test('is not accepted once it fails', () => {
    expect(apply(verdictOn('fail', 'a'), accepted).baseline).toBeNull();
  });

  test('is reported without failing the gate once it passes', () => {
    const { problems } = apply(verdictOn('pass'), accepted);
    expect(problems).toEqual([{ id: 'file:bytes#type', why: 'decided' }]);
    expect(failGateForBaseline(gate, problems)).toMatchObject({ verdict: 'conforms', exitCode: 0 });
  });
});

test('entries of the side that was not judged are ignored', () => {
  const known = [knownEntry({ id: 'client:createFile:body#type' })];
  const { problems } = applyBaseline(
    wholeRunWith(verdictOn('pass')),
    { format: 1, known },
    { today, isRun: true },
  );
  expect(problems).toEqual([]);
});

test('an entry that passes is stale only in a run of the suite', () => {
  const baseline = { format: 1, known: [knownEntry()] } as const;
  const passed = wholeRunWith(verdictOn('pass'));
  expect(applyBaseline(passed, baseline, { today, isRun: true }).problems).toEqual([passing]);
  expect(applyBaseline(passed, baseline, { today, isRun: false }).problems).toEqual([]);
});

describe('MUSTs that chance may leave undecided', () => {
  const busy = { kind: 'capacity', exchange: 'e1', arrival: null } as const;
  const openFor = (count: number, cause: RequirementVerdict['cause']) =>
    Array.from({ length: count }, (_, n) => ({ ...verdictOn('inconclusive'), id: `open-${n}`, cause }));
  const countAccepted = (open: readonly RequirementVerdict[], isStrict: boolean) =>
    applyBaseline(
      wholeRunWith(...hundredPasses, ...open),
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
    'are accepted only if chance explains them, they are few and the gate is not strict: %s',
    ([, count, cause, isStrict, expected]) => {
      expect(countAccepted(openFor(count, cause), isStrict)).toBe(expected);
    },
  );

  test('are not accepted if their entry has expired', () => {
    const cause = { kind: 'model', exchange: 'e1' } as const;
    const open: RequirementVerdict = { ...verdictOn('inconclusive'), cause };
    const entry = knownEntry({ signatures: [], undecided: 'model', expires: '2026-11-19' });
    const { judgement } = applyBaseline(
      wholeRunWith(...hundredPasses, open),
      { format: 1, known: [entry] },
      { today, isRun: true },
    );
    expect(judgement.requirements.at(-1)?.baseline).toBeNull();
  });
});

describe('an entry whose failure is gone', () => {
  test('is called fixed by a run of selected scenarios only if the gate is strict; other gates do not fail', () => {
    const problemsWith = (isStrict: boolean) =>
      applyBaseline(
        wholeRunWith(verdictOn('pass')),
        { format: 1, known: [knownEntry()] },
        { today, isRun: true, isSelection: true, isStrict },
      ).problems;
    expect([problemsWith(false), problemsWith(true)]).toEqual([
      [{ ...passing, why: 'selection-passes' }],
      [passing],
    ]);
    const { exitCode } = failGateForBaseline(gate, problemsWith(false));
    expect(exitCode).toBe(0);
  });

  test('is not called fixed by a shard, and does not fail its gate, even a strict one', () => {
    const { problems } = applyBaseline(
      wholeRunWith(verdictOn('pass')),
      { format: 1, known: [knownEntry()] },
      { today, isRun: true, isShard: true, isStrict: true },
    );
    expect(problems).toEqual([{ ...passing, why: 'selection-passes' }]);
    expect(failGateForBaseline(gate, problems, { isStrict: true })).toMatchObject({ exitCode: 0 });
  });
});

describe('an intermittent entry', () => {
  test('is reported with its number of tries if it passes', () => {
    const known = knownEntry({ intermittent: true });
    expect(apply(verdictOn('pass'), known).problems).toEqual([{ ...passing, why: 'not-shown', tries: 1 }]);
  });

  test('fails a strict gate once enough tries pass', () => {
    const applyStrictly = (observations: number) => {
      const { problems } = applyBaseline(
        wholeRunWith({ ...verdictOn('pass'), observations }),
        { format: 1, known: [knownEntry({ intermittent: true })] },
        { today, isRun: true, isStrict: true },
      );
      return [problems, failGateForBaseline(gate, problems, { isStrict: true }).exitCode];
    };
    expect(applyStrictly(9)).toEqual([[{ ...passing, why: 'not-shown', tries: 9 }], 0]);
    expect(applyStrictly(10)).toEqual([[passing], 1]);
  });

  test('hides no other failure', () => {
    expect(apply(verdictOn('fail', 'b'), knownEntry({ intermittent: true })).baseline).toBeNull();
  });
});

describe('invalid requests that an operation accepts', () => {
  const [model, tools] = [verdictOnInvalid('model#type', 'a'), verdictOnInvalid('tools#type', 'b', 'c')];
  const entry = knownEntry({ id: 'createRun:rejects', signatures: ['a', 'b', 'c'] });
  const applyTo = (known: BaselineEntry, ...requirements: RequirementVerdict[]) => {
    const { judgement, problems } = applyBaseline(
      wholeRunWith(...requirements),
      { format: 1, known: [known] },
      { today, isRun: true },
    );
    return { accepted: judgement.requirements.map(({ baseline }) => baseline !== null), problems };
  };

  test('are accepted by their entry, which accepts no other request', () => {
    expect(applyTo(entry, model, tools)).toEqual({ accepted: [true, true], problems: [] });
    expect(applyTo(entry, model, verdictOnInvalid('top_p#type', 'd'))).toEqual({
      accepted: [true, false],
      problems: [{ id: entry.id, why: 'other-finding', signature: 'd', at: '/bytes' }],
    });
    expect(applyTo(entry, model, verdictOnInvalid('tools#type', 'b', 'd')).problems).toMatchObject([
      { signature: 'd' },
    ]);
    expect(applyTo(entry, { ...model, id: 'createThread:body.model#type.rejected' }).accepted).toEqual([
      false,
    ]);
  });

  test('have a partly stale entry if some kinds are rejected now, which fails only a strict gate', () => {
    const partly = { id: entry.id, why: 'partly-passes', kinds: 1 } as const;
    expect(applyTo(entry, verdictOnInvalid('model#type'), tools).problems).toEqual([partly]);
    expect(
      [false, true].map((isStrict) => failGateForBaseline(gate, [partly], { isStrict }).exitCode),
    ).toEqual([0, 1]);
  });

  test('have no stale entry while one of their kinds was not sent', () => {
    const unsent: RequirementVerdict = { ...verdictOnInvalid('model#type'), verdict: 'untested' };
    expect(applyTo(entry, unsent, tools).problems).toEqual([]);
  });

  test('have a stale entry if all of them are rejected now', () => {
    const stale = applyTo(entry, verdictOnInvalid('model#type'), verdictOnInvalid('tools#type'));
    expect(stale.problems).toEqual([{ id: entry.id, why: 'passes' }]);
  });

  test('have neither a stale nor an unknown entry if all of them get 5xx now', () => {
    const crashed = { ...model, findings: model.findings.map((one) => ({ ...one, actual: 500 })) };
    expect(applyTo(entry, crashed)).toEqual({ accepted: [false], problems: [] });
  });

  test('are no longer accepted once their entry has expired', () => {
    expect(applyTo({ ...entry, expires: '2026-11-19' }, model).accepted).toEqual([false]);
  });

  test('have an unknown entry if there is no such operation', () => {
    expect(applyTo(knownEntry({ id: 'createRuns:rejects' }), model).problems).toEqual([
      { id: 'createRuns:rejects', why: 'unknown' },
    ]);
  });
});

describe('choices on which most services agree', () => {
  const recorded = { format: 1, known: [], choices: { [LIMIT_CHOICE]: 'length' } } as const;

  test('name the earlier alternative if the target now takes another, which is no problem of the baseline', () => {
    const applyTo = (...taken: string[]) => {
      const { judgement, problems } = applyBaseline(wholeRunTaking(...taken), recorded, {
        today,
        isRun: true,
      });
      return [problems, judgement.choices.map(({ before }) => before)];
    };
    expect(applyTo('stop')).toEqual([[], ['length', undefined]]);
    expect(applyTo('length', 'stop')).toEqual([[], ['length', undefined]]);
    for (const same of [['length'], []]) expect(applyTo(...same)).toEqual([[], [undefined, undefined]]);
  });

  test('fail the gate if they do not exist on the side that was judged', () => {
    const misspelt = { ...recorded, choices: { 'chat.finish-reason.at-limt': 'length', 'client.own': 'x' } };
    const { problems } = applyBaseline(wholeRunTaking('length'), misspelt, { today, isRun: false });
    expect(problems).toEqual([
      { id: 'chat.finish-reason.at-limt', why: 'unknown-choice', nearest: [LIMIT_CHOICE] },
    ]);
    expect(failGateForBaseline(gate, problems)).toMatchObject({
      exitCode: 1,
      reasons: [{ kind: 'baseline', problem: problems[0] }],
    });
  });
});
