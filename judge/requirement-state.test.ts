import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../exchange/http/body.ts';
import { RequirementState } from './requirement-state.ts';
import type { Requirement } from './requirements/catalogue.ts';
import type { Violation } from './requirements/requirement.ts';

const requirement: Requirement = {
  id: 'chat.stream.same-id',
  kind: 'behaviour',
  families: ['chat'],
  operations: ['createChatCompletion'],
  level: 'MUST',
  basis: 'stated',
  spec: '2 Chat completion chunk',
  says: 'Every chunk has the same id.',
};

test('findings are ordered by exchange and numerically by event', () => {
  const state = new RequirementState(requirement);
  const show = (exchange: string, event: number, at: number) =>
    state.report({ at: `event ${event} /id`, expected: 'x', actual: 'y' }, { exchange, call: null, at });
  for (const [n, event] of [10, 2, 11, 1].entries()) show('e7', event, n);
  show('e3', 99, 9);
  expect(state.findings.map(({ exchange, at }) => `${exchange} ${at}`)).toEqual([
    'e3 event 99 /id',
    'e7 event 1 /id',
    'e7 event 2 /id',
    'e7 event 10 /id',
    'e7 event 11 /id',
  ]);
});

test('the evidence that completed first is kept, whatever the order and the parts in which it is observed', () => {
  const evidence = [['e9'], ['e1', 'e2', 'e12'], ['e7'], ['e8', 'e5']];
  fc.assert(
    fc.property(fc.shuffledSubarray(evidence, { minLength: evidence.length }), fc.nat(4), (shown, cut) => {
      const states = [shown.slice(0, cut), shown.slice(cut)].map((some) => {
        const state = new RequirementState(requirement);
        for (const ids of some)
          state.observe(
            1,
            ids.map((id) => ({ id })),
          );
        return state;
      });
      const merged = new RequirementState(requirement);
      for (const part of states.flatMap((state) => state.part() ?? [])) merged.absorb(part, []);
      expect([merged.observations, merged.shownBy]).toEqual([4, ['e8', 'e5']]);
    }),
  );
});

test('the last two exchanges of the evidence that completed first are kept', () => {
  const long = new RequirementState(requirement);
  long.observe(1, [{ id: 'e1' }, { id: 'e2' }, { id: 'e12' }]);
  expect(long.shownBy).toEqual(['e2', 'e12']);
});

test('outcomes are mixed if the same requests met and violated the requirement, also in different parts', () => {
  const createState = (...tries: readonly (readonly [string, 'met' | 'violated'])[]) => {
    const state = new RequirementState(requirement);
    for (const [requests, outcome] of tries) {
      state.observe(1, [{ id: 'e1' }]);
      state.recordTrial(requests, outcome);
    }
    return state;
  };
  const [met, violated, other] = [
    createState(['a', 'met']),
    createState(['a', 'violated']),
    createState(['b', 'violated']),
  ];
  const areMixed = (...states: readonly RequirementState[]) => {
    const merged = new RequirementState(requirement);
    for (const one of states.flatMap((state) => state.part() ?? [])) merged.absorb(one, []);
    return merged.hasMixedOutcomes;
  };
  expect([
    areMixed(met, other),
    areMixed(violated, other),
    areMixed(met, violated),
    areMixed(violated, met),
  ]).toEqual([false, false, true, true]);
  expect(createState(['a', 'met'], ['a', 'violated'], ['a', 'met']).hasMixedOutcomes).toBe(true);
});

function countSignatures(id: string, ...violations: readonly Pick<Violation, 'at' | 'actual'>[]): number {
  const signatures = violations.map((violation) => {
    const state = new RequirementState({ ...requirement, id });
    state.report({ ...violation, expected: 'x' }, { exchange: 'e1', call: null, at: 1 });
    return state.findings[0]?.signature;
  });
  return new Set(signatures).size;
}

test('a signature has the type of the actual value, and the value itself only for listed values', () => {
  const countForValues = (id: string, ...values: readonly (Json | undefined)[]) =>
    countSignatures(id, ...values.map((actual) => ({ at: '/usage/total_tokens', actual })));
  expect(countForValues(requirement.id, 1, 5)).toBe(1);
  expect(countForValues(requirement.id, 1, '1', null, undefined)).toBe(4);
  expect(countForValues('file:purpose#enum', 'one', 'two')).toBe(2);
});

test('a signature depends on no number, no event and no name that a model may have written', () => {
  const countForPlaces = (id: string, ...places: readonly string[]) =>
    countSignatures(id, ...places.map((at) => ({ at, actual: 'y' })));
  const places = ['/choices/0/text', 'event 12 /choices/1/text', 'event 3 /choices/0/text'];
  expect(countForPlaces(requirement.id, ...places)).toBe(1);
  expect(countForPlaces(requirement.id, '/choices/0/text', '/choices/0/delta')).toBe(2);
  const names = ['/choices/0/logprobs/top_logprobs/0/ tea', '/choices/0/logprobs/top_logprobs/4/north'];
  expect(countForPlaces('completion:choices[].logprobs.top_logprobs[].*#type', ...names)).toBe(1);
});

test('the first finding of each defect is kept, in any order and however often another one repeats', () => {
  const places = [
    ...Array.from({ length: 30 }, (_, n) => ['/id', n] as const),
    ['/model', 40],
    ['/object', 41],
  ] as const;
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...places], { minLength: places.length }),
      fc.nat(places.length),
      (shown, cut) => {
        const parts = [shown.slice(0, cut), shown.slice(cut)].map((some) => {
          const state = new RequirementState(requirement);
          for (const [at, n] of some)
            state.report({ at, expected: 'x', actual: 'y' }, { exchange: `e${n + 1}`, call: null, at: n });
          return state;
        });
        const [first, rest] = parts;
        const part = rest?.part();
        if (part != null) first?.absorb(part, []);
        const kept = first?.findings.map(({ exchange, at }) => `${exchange} ${at}`) ?? [];
        expect(kept).toEqual([
          ...Array.from({ length: 18 }, (_, n) => `e${n + 1} /id`),
          'e41 /model',
          'e42 /object',
        ]);
      },
    ),
  );
});

test('a status alone and a status with the first event of its stream are one defect', () => {
  const state = new RequirementState(requirement);
  const actuals = [200, '200, then event {"id":"chatcmpl-1"}', 'nothing'];
  for (const [n, actual] of actuals.entries())
    state.report(
      { at: 'answer', expected: 'a rejection', actual },
      { exchange: `e${n + 1}`, call: null, at: n },
    );
  const [status, event, other] = state.findings.map(({ signature }) => signature);
  expect(event).toBe(status);
  expect(other).not.toBe(status);
});
