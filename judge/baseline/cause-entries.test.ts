import { describe, expect, test } from 'vitest';
import { openDiagnoses } from '../verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../verdict/verdict.ts';
import { applyBaseline } from './baseline.ts';
import type { BaselineEntry } from './baseline-entry.ts';
import { makeBaseline } from './make-baseline.ts';
import { knownEntry, today, verdictOn, wholeRunWith } from './testing/verdicts.ts';

const FAILED_SHARES = { with: { failed: 9, total: 9 }, without: { failed: 0, total: 90 } };
const REFUSED_SHARES = { with: { refused: 2, total: 2 }, without: { refused: 0, total: 9 } };

describe('a requirement that fails for causes', () => {
  const [n, tools] = [
    'createChatCompletion:accepts#body.n>1',
    'createChatCompletion:accepts#body.tools',
  ] as const;
  const finding = (causeId: string) => ({
    at: '',
    expected: '',
    exchange: 'e1',
    signature: causeId,
    causeId,
  });
  const accepts: RequirementVerdict = {
    ...verdictOn('fail'),
    id: 'createChatCompletion:accepts',
    findings: [finding(n), finding(tools)],
  };
  const probe: RequirementVerdict = {
    ...verdictOn('fail', 'x'),
    id: 'createChatCompletion:body.n#type.accepted',
    consequenceOf: [n],
  };
  const createEntries = (...ids: string[]) =>
    ids.map((id) => knownEntry({ id, signatures: [id], reason: id }));
  const findReasons = (...ids: string[]) => {
    const { judgement, problems } = applyBaseline(
      wholeRunWith(accepts, probe),
      { format: 1, known: createEntries(...ids) },
      { today, isRun: true },
    );
    expect(problems).toEqual([]);
    return judgement.requirements.map(({ baseline }) => baseline);
  };

  test('is accepted only if each of its causes is listed', () => {
    for (const causes of [[], [tools], [n]]) expect(findReasons(...causes)[0]).toBeNull();
    expect(findReasons(n, tools)[0]).toBe(n);
  });

  test('has a consequence that is accepted exactly if the cause of the consequence is listed', () => {
    for (const causes of [[], [tools]]) expect(findReasons(...causes)[1]).toBeNull();
    for (const causes of [[n], [n, tools]]) expect(findReasons(...causes)[1]).toBe(n);
  });

  describe('that are diagnosed', () => {
    const cause = (feature: string): DiagnosisVerdict => {
      const operation = { id: `${accepts.id}#${feature}`, requirement: accepts.id, exchanges: ['e1'] };
      return {
        kind: 'features',
        feature,
        features: [feature],
        equivalent: [],
        proven: true,
        consequences: [],
        operations: [{ ...operation, ...REFUSED_SHARES }],
      };
    };
    const judgement = {
      ...wholeRunWith(accepts, probe),
      diagnoses: [cause('body.n>1'), cause('body.tools')],
    };
    const applyEntries = (...known: BaselineEntry[]) =>
      applyBaseline(judgement, { format: 1, known }, { today, isRun: true }).judgement;

    test('has only the causes open that are not listed', () => {
      const { diagnoses = [], requirements } = applyEntries(...createEntries(n));
      expect(diagnoses.map(({ operations: [operation] }) => operation?.baseline)).toEqual([n, undefined]);
      expect(openDiagnoses(diagnoses, requirements).map(({ feature }) => feature)).toEqual(['body.tools']);
    });

    test('has a cause open that is listed with another signature', () => {
      const { diagnoses = [] } = applyEntries(knownEntry({ id: n, signatures: ['another'] }));
      expect(diagnoses.map(({ operations: [operation] }) => operation?.baseline)).toEqual([
        undefined,
        undefined,
      ]);
    });
  });

  test('is accepted by an entry for equivalent features, which a run that ended early may name instead', () => {
    const cause = (equivalent: readonly string[]): DiagnosisVerdict => ({
      kind: 'features',
      feature: 'body.n>1',
      features: ['body.n>1'],
      equivalent: [equivalent],
      proven: true,
      operations: [{ id: n, requirement: accepts.id, exchanges: [], ...REFUSED_SHARES }],
      consequences: [probe.id],
    });
    const other = `${accepts.id}#body.n=maximum`;
    const findReasonsWith = (equivalent: readonly string[]) => {
      const broken = { ...accepts, findings: [finding(n)] };
      const judgement = { ...wholeRunWith(broken, probe), diagnoses: [cause(equivalent)] };
      const use = { today, isRun: true };
      const outcome = applyBaseline(judgement, { format: 1, known: createEntries(other) }, use).judgement;
      return outcome.requirements.map(({ baseline }) => baseline);
    };
    expect(findReasonsWith(['body.n=maximum'])).toEqual([other, other]);
    expect(findReasonsWith(['body.n=maximum', 'body.stop'])).toEqual([null, null]);
  });

  test('is not accepted by entries that list breakdowns for the same requests', () => {
    const accepted = [n, tools].map((id) => knownEntry({ id, signatures: [], undecided: 'breakdown' }));
    const { judgement } = applyBaseline(
      wholeRunWith(accepts, probe),
      { format: 1, known: accepted },
      { today, isRun: true },
    );
    expect(judgement.requirements.map(({ baseline }) => baseline)).toEqual([null, null]);
  });

  test('has a consequence that is listed itself if the cause is listed only as a breakdown', () => {
    const faults = [{ id: n, features: ['body.n>1'], statuses: [503], ...FAILED_SHARES }];
    const cause = { kind: 'breakdown', exchange: 'e1', faults } as const;
    const { known: written } = makeBaseline(
      wholeRunWith({ ...verdictOn('inconclusive'), cause }, probe),
      null,
    );
    expect(written.map(({ id }) => id)).toEqual([n, probe.id]);
  });

  test('is listed by its causes, without their consequences', () => {
    const { known: written } = makeBaseline(wholeRunWith(accepts, probe), null);
    expect(written.map(({ id, signatures }) => [id, signatures])).toEqual([
      [n, [n]],
      [tools, [tools]],
    ]);
  });

  test('has a problem with its entry if the feature is unknown, or no longer refused', () => {
    const findProblems = (verdict: RequirementVerdict, id: string) =>
      applyBaseline(wholeRunWith(verdict), { format: 1, known: createEntries(id) }, { today, isRun: true })
        .problems;
    expect(findProblems(accepts, 'createChatCompletion:accepts#body.n>7')).toMatchObject([
      { why: 'unknown' },
    ]);
    expect(findProblems({ ...accepts, verdict: 'pass', findings: [] }, n)).toMatchObject([{ why: 'passes' }]);
  });
});
