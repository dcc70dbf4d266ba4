import { expect, test } from 'vitest';
import { MAX_KEPT_REFUSALS, RefusedKinds } from './refused-kinds.ts';

test('a withdrawn refusal is no longer counted, even if it was not kept because there were too many', () => {
  const kinds = new RefusedKinds();
  const name = { subject: 'listModels', features: [], assumes: [] };
  const refusals = Array.from({ length: MAX_KEPT_REFUSALS + 2 }, (_, n) => ({
    exchange: `e${n + 1}`,
    at: n + 1,
    isForbidden: n % 2 === 1,
  }));
  for (const refusal of refusals) kinds.add(name, refusal);
  const [, [kind]] = kinds.bySubject()[0] ?? ['', []];
  if (kind === undefined) throw new Error('no kind');
  const counts = () => [kind.refused, kind.forbidden, kind.exchanges.length];
  const half = MAX_KEPT_REFUSALS / 2;
  expect(counts()).toEqual([MAX_KEPT_REFUSALS + 2, half + 1, MAX_KEPT_REFUSALS]);
  for (const refusal of [...refusals.slice(-1), ...refusals.slice(0, 2)]) kinds.withdraw(kind, refusal);
  expect(counts()).toEqual([MAX_KEPT_REFUSALS - 1, half - 1, MAX_KEPT_REFUSALS - 2]);
});
