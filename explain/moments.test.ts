import { describe, expect, test } from 'vitest';
import { findDecisiveMoment, findLikelyMoment } from './moments.ts';
import { createRow } from './testing/request-row.ts';

describe('a target', () => {
  test('is under load from the lowest load that clearly raises its refusal rate', () => {
    const at = (load: number, accepted: number, refused: number) =>
      createRow(
        ['x', ...[1, 4, 8].filter((one) => one <= load).map((one) => `context.beside>=${one}`)].join(' '),
        accepted,
        refused,
      );
    expect(findLikelyMoment([at(0, 40, 1), at(1, 60, 3), at(4, 30, 25), at(8, 5, 60)])).toBe(
      'context.beside>=4',
    );
    expect(findLikelyMoment([at(0, 6, 0), at(1, 14, 0), at(4, 24, 6), at(8, 48, 53)])).toBe(
      'context.beside>=4',
    );
    expect(findLikelyMoment([at(0, 40, 1), at(1, 60, 3), at(4, 60, 4), at(8, 5, 60)])).toBe(
      'context.beside>=8',
    );
    expect(findLikelyMoment([at(0, 40, 1), at(1, 30, 40), at(4, 20, 40), at(8, 5, 60)])).toBe(
      'context.beside>=1',
    );
  });

  test('has a likely moment only if it clearly refuses more often at that moment', () => {
    const alone = [createRow('x', 20, 1), createRow('y', 20, 0)];
    const concurrent = [createRow('context.beside>=1 x', 6, 20), createRow('context.beside>=1 y', 4, 20)];
    expect(findLikelyMoment([...alone, ...concurrent])).toBe('context.beside>=1');
    expect(findLikelyMoment([createRow('x', 20, 9), createRow('context.beside>=1 x', 20, 11)])).toBeNull();
    expect(findLikelyMoment([createRow('x', 2, 0), ...concurrent])).toBeNull();
  });

  test('has a decisive moment only if it refused every request at that moment', () => {
    const repeated = [
      createRow('x', 2, 0),
      createRow('context.repeated x', 0, 3),
      createRow('context.repeated y', 0, 1),
    ];
    expect(findDecisiveMoment(repeated)).toBe('context.repeated');
    expect(findDecisiveMoment([...repeated, createRow('context.repeated z', 1, 0)])).toBeNull();
  });
});
