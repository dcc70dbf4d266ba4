import { describe, expect, test } from 'vitest';
import type { RequestRow } from '../judge/requirements/acceptance-facts.ts';
import { estimateNoise } from './noise.ts';
import { createRow } from './testing/request-row.ts';

function noiseOf(rows: readonly RequestRow[]): number {
  return estimateNoise(new Map([['chat', rows]]))('chat');
}

describe('a target that treats equal requests differently', () => {
  test('has its noise estimated from the equal requests of which at least one was accepted', () => {
    const twice = [...Array(64).fill([2, 0]), ...Array(32).fill([1, 1]), ...Array(4).fill([0, 2])];
    expect(noiseOf(twice.map(([accepted, refused], i) => createRow(`r${i}`, accepted, refused)))).toBeCloseTo(
      0.2,
      3,
    );
  });

  test('is noisy, unless a moment explains its refusals', () => {
    expect(noiseOf([createRow('x', 2, 1), createRow('y', 5, 0)])).toBeCloseTo(0.1257, 4);
    const repeated = [
      createRow('x', 2, 0),
      createRow('context.repeated x', 0, 3),
      createRow('context.repeated y', 0, 1),
    ];
    expect(noiseOf(repeated)).toBe(0);
    expect(noiseOf([...repeated, createRow('z', 1, 0), createRow('context.repeated z', 1, 0)])).toBeCloseTo(
      0.4836,
      4,
    );
  });
});
