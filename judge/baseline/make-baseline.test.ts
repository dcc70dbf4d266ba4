import { describe, expect, test } from 'vitest';
import type { RequirementVerdict } from '../verdict/verdict.ts';
import type { BaselineUse } from './baseline.ts';
import { MISSING_REASON, readBaseline } from './baseline-file.ts';
import { makeBaseline } from './make-baseline.ts';
import {
  knownEntry,
  LIMIT_CHOICE,
  verdictOn,
  verdictOnInvalid,
  wholeRunTaking,
  wholeRunWith,
} from './testing/verdicts.ts';

describe('a baseline that is written', () => {
  const written = makeBaseline(wholeRunWith(verdictOn('fail', 'b', 'a', 'b')), null);

  test('lists each finding once', () => {
    expect(written.known).toEqual([knownEntry({ signatures: ['a', 'b'], reason: MISSING_REASON })]);
  });

  test('cannot be read until its reasons are given', () => {
    expect(() => readBaseline(JSON.stringify(written), 'b.json')).toThrow(
      'b.json: 1 entry has no reason (file:bytes#type). Say why each failure is accepted, or write the file again with ' +
        '--baseline-write b.json --baseline-reason TEXT.',
    );
  });

  test('keeps earlier reasons, links and signatures', () => {
    const before = { format: 1, known: [knownEntry({ link: 'https://example.test/1' })] } as const;
    const next = makeBaseline(wholeRunWith(verdictOn('fail', 'b')), before);
    // A run with filters may not show every way in which a requirement fails.
    expect(next.known).toEqual([knownEntry({ signatures: ['a', 'b'], link: 'https://example.test/1' })]);
    expect(readBaseline(JSON.stringify(next), 'b.json')).toEqual(next);
  });

  test('keeps entries about which the judgement shows nothing, even in a strict rewrite', () => {
    const client = knownEntry({ id: 'client:createFile:file#required' });
    const before = { format: 1, known: [knownEntry(), client] } as const;
    const keptAfter = (verdict: 'pass' | 'untested' | 'error') =>
      makeBaseline(wholeRunWith(verdictOn(verdict)), before, 'x', { isRun: true, isStrict: true }).known;
    for (const verdict of ['untested', 'error'] as const)
      expect(keptAfter(verdict)).toEqual([knownEntry(), client]);
    expect(keptAfter('pass')).toEqual([client]);
  });

  test('loses an entry or signature in a strict rewrite only if a run that is no shard shows that the failure is gone', () => {
    const before = { format: 1, known: [knownEntry({ signatures: ['a', 'b'] })] } as const;
    const strict = (traffic: Pick<BaselineUse, 'isRun' | 'isShard'>, ...signatures: string[]) => {
      const now = wholeRunWith(verdictOn(signatures.length === 0 ? 'pass' : 'fail', ...signatures));
      return makeBaseline(now, before, 'x', { ...traffic, isStrict: true }).known.map(
        (one) => one.signatures,
      );
    };
    expect([strict({ isRun: true }), strict({ isRun: true }, 'b')]).toEqual([[], [['b']]]);
    for (const partial of [{ isRun: false }, { isRun: true, isShard: true }] as const)
      expect([strict(partial), strict(partial, 'b')]).toEqual([[['a', 'b']], [['a', 'b']]]);
  });

  test('gets the given reason for entries without one', () => {
    const before = readBaseline(JSON.stringify(written), 'b.json', 'open');
    const next = makeBaseline(wholeRunWith(verdictOn('fail', 'b')), before, 'fixed in 2.0');
    expect(next.known.map(({ reason }) => reason)).toEqual(['fixed in 2.0']);
  });

  test('can be read once a reason was given, even if the traffic does not show each failure again', () => {
    const { reason: _, ...bare } = knownEntry({ id: 'file:id#type' });
    const incomplete = {
      ...written,
      known: [...written.known, { ...bare, reason: ' ' }, { ...bare, id: 'x' }],
    };
    const before = readBaseline(JSON.stringify(incomplete), 'b.json', 'open');
    const next = makeBaseline(wholeRunWith(verdictOn('fail', 'b')), before, 'fixed in 2.0');
    expect(next.known.map(({ id, reason }) => [id, reason])).toEqual([
      ['file:bytes#type', 'fixed in 2.0'],
      ['file:id#type', 'fixed in 2.0'],
      ['x', 'fixed in 2.0'],
    ]);
    expect(readBaseline(JSON.stringify(next), 'b.json')).toEqual(next);
  });
});

describe('a MUST that could not be decided', () => {
  const open: RequirementVerdict = { ...verdictOn('inconclusive'), cause: { kind: 'no-evidence' } };
  const accepted = knownEntry({ signatures: [], undecided: 'no-evidence', reason: 'no tools' });

  test('is listed with the kind of its cause, and read again', () => {
    const written = makeBaseline(wholeRunWith(open), null, 'no tools');
    expect(written.known).toEqual([accepted]);
    expect(readBaseline(JSON.stringify(written), 'b.json')).toEqual(written);
  });

  test('needs a reason', () => {
    expect(() => readBaseline(JSON.stringify(makeBaseline(wholeRunWith(open), null)), 'b.json')).toThrow(
      '1 entry has no reason (file:bytes#type). Say why',
    );
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

describe('an intermittent entry', () => {
  test('stays in the file unless it is rewritten strictly after enough tries passed', () => {
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

  test('for a cause is dropped by a strict rewrite after enough tries of its requirement passed', () => {
    const known = knownEntry({ id: 'createFile:accepts#at-random', intermittent: true });
    const rewritten = (observations: number) => {
      const passed = { ...verdictOn('pass'), id: 'createFile:accepts', observations };
      const before = { format: 1, known: [known] } as const;
      return makeBaseline(wholeRunWith(passed), before, 'x', { isRun: true, isStrict: true }).known;
    };
    expect([rewritten(9), rewritten(10)]).toEqual([[known], []]);
  });

  test('is written for a failure that a run shows only by chance', () => {
    const failure: RequirementVerdict = { ...verdictOn('fail', 'a'), byChance: true };
    const [entry] = makeBaseline(wholeRunWith(failure), null, 'it samples').known;
    expect(entry).toEqual(knownEntry({ intermittent: true, reason: 'it samples' }));
  });
});

describe('invalid requests that an operation accepts', () => {
  const [model, tools] = [verdictOnInvalid('model#type', 'a'), verdictOnInvalid('tools#type', 'b', 'c')];
  const entry = knownEntry({ id: 'createRun:rejects', signatures: ['a', 'b', 'c'] });

  test('are one entry', () => {
    const { known } = makeBaseline(wholeRunWith(model, tools, verdictOn('fail', 'z')), null, 'fixed in 2.0');
    expect(known).toEqual([entry, knownEntry({ signatures: ['z'] })]);
  });

  test('keep their signatures unless a strict rewrite shows that they are rejected', () => {
    const before = { format: 1, known: [entry] } as const;
    const untested: RequirementVerdict = { ...tools, verdict: 'untested', findings: [] };
    expect(makeBaseline(wholeRunWith(model, untested), before).known).toEqual([entry]);
    const mended = wholeRunWith(model, verdictOnInvalid('tools#type'));
    expect(makeBaseline(mended, before).known).toEqual([entry]);
    expect(makeBaseline(mended, before, 'x', { isRun: true, isStrict: true }).known).toEqual([
      { ...entry, signatures: ['a'] },
    ]);
  });

  test('keep an entry of their own', () => {
    const own = knownEntry({ id: model.id, reason: 'numbers are names here' });
    const after = makeBaseline(wholeRunWith(model, tools), { format: 1, known: [own] }, 'fixed in 2.0').known;
    expect(after).toEqual([own, { ...entry, signatures: ['b', 'c'] }]);
  });
});

describe('choices on which most services agree', () => {
  const written = makeBaseline(wholeRunTaking('length'), null);

  test('are written with the baseline, and read again', () => {
    expect(written).toEqual({ format: 1, known: [], choices: { [LIMIT_CHOICE]: 'length' } });
    expect(readBaseline(JSON.stringify(written), 'b.json')).toEqual(written);
  });

  test('are rewritten, kept if this traffic does not show them, and dropped if it shows several alternatives', () => {
    expect(makeBaseline(wholeRunTaking('stop'), written).choices).toEqual({ [LIMIT_CHOICE]: 'stop' });
    expect(makeBaseline(wholeRunTaking(), written).choices).toEqual({ [LIMIT_CHOICE]: 'length' });
    expect(makeBaseline(wholeRunTaking('length', 'stop'), written).choices).toBeUndefined();
  });

  test('are dropped by a strict rewrite if they do not exist and their side was judged', () => {
    const misspelt = { ...written, choices: { 'chat.finish-reason.at-limt': 'length', 'client.own': 'x' } };
    const rewritten = (isStrict: boolean) =>
      Object.keys(makeBaseline(wholeRunTaking(), misspelt, 'why', { isRun: true, isStrict }).choices ?? {});
    expect(rewritten(false)).toEqual(Object.keys(misspelt.choices));
    expect(rewritten(true)).toEqual(['client.own']);
  });
});
