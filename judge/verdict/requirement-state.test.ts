import { expect, test } from 'vitest';
import type { Requirement } from '../requirements/catalogue.ts';
import { RequirementState } from './requirement-state.ts';

test('findings stand in the order of exchanges and of events, whose numbers are counted', () => {
  const requirement: Requirement = {
    ...{ id: 'chat.stream.same-id', kind: 'behaviour', family: 'chat', families: ['chat'] },
    operations: ['createChatCompletion'],
    ...{
      level: 'MUST',
      basis: 'stated',
      spec: '2 Chat completion chunk',
      says: 'Every chunk has the same id.',
    },
  };
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
