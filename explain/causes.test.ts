import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestRow } from '../judge/requirements/acceptance-facts.ts';
import { explain } from './causes.ts';
import { findDecisiveMoment, findLikelyMoment } from './moments.ts';
import { estimateNoise } from './noise.ts';

function row(features: string, accepted: number, refused: number): RequestRow {
  const exchanges = Array.from({ length: refused }, (_, n) => `e${n + 1}`);
  return { features: features === '' ? [] : features.split(' '), accepted, refused, exchanges };
}

function noiseOf(rows: readonly RequestRow[]): number {
  return estimateNoise(new Map([['chat', rows]]))('chat');
}

describe('refusals', () => {
  test('are explained by the feature that only refused requests have, with the counts without it', () => {
    const rows = [row('', 90, 0), row('n', 6, 0), row('n n>1', 0, 10), row('n n>1 stop', 0, 4)];
    expect(explain(rows, 0)).toMatchObject([
      {
        features: ['n>1'],
        equivalent: [],
        with: { refused: 14, total: 14 },
        without: { refused: 0, total: 96 },
      },
    ]);
  });

  test('are explained by a pair if each of the two is accepted alone', () => {
    const rows = [row('', 5, 0), row('seed', 5, 0), row('stream', 5, 0), row('seed stream', 0, 5)];
    expect(explain(rows, 0)).toMatchObject([
      { features: ['seed', 'stream'], with: { refused: 5, total: 5 } },
    ]);
  });

  test('are explained by a parameter that is accepted as null, whatever else was in flight', () => {
    const rows = [row('', 90, 0), row('suffix suffix=null', 1, 0), row('suffix', 0, 1)];
    const concurrentRow = row('context.beside>=1 n suffix', 0, 1);
    expect(explain([...rows, concurrentRow, row('context.beside>=1 n', 3, 0)], 0)).toMatchObject([
      { features: ['suffix'], with: { refused: 2, total: 2 }, without: { refused: 0, total: 94 } },
    ]);
  });

  test('are explained by a null if other values of the parameter are accepted', () => {
    expect(explain([row('', 9, 0), row('suffix suffix=null', 0, 2), row('suffix', 3, 0)], 0)).toMatchObject([
      { features: ['suffix=null'], with: { refused: 2, total: 2 } },
    ]);
  });

  test('are explained by a pair of features, not by a parameter accepted only as null, if the pair explains more refusals', () => {
    const accepted = [row('stop stop=null', 1, 0), row('n', 1, 0), row('seed', 1, 0)];
    expect(explain([...accepted, row('n seed', 0, 1), row('n seed stop', 0, 1)], 0)).toMatchObject([
      { features: ['n', 'seed'], with: { refused: 2, total: 2 } },
    ]);
  });

  test('are not explained by a member of list elements that was accepted as null', () => {
    const history = row('messages[].content messages[].content=null', 5, 0);
    const [first] = explain(
      [history, row('messages[].content n seed', 0, 2), row('n', 1, 0), row('seed', 1, 0)],
      0,
    );
    expect(first).toMatchObject({ features: ['n', 'seed'] });
  });

  test('have two causes if no single one covers them, the larger first', () => {
    const rows = [row('a', 0, 2), row('b', 0, 7), row('c', 4, 0)];
    expect(explain(rows, 0)).toMatchObject([{ features: ['b'] }, { features: ['a'] }]);
  });

  test('name the features that exactly the same requests have', () => {
    const [found] = explain([row('tools tools[].type', 0, 3), row('', 3, 0)], 0);
    expect(found).toMatchObject({ features: ['tools'], equivalent: [['tools[].type']] });
  });

  test('are one cause if every request was refused', () => {
    expect(explain([row('a', 0, 3), row('', 0, 1)], 0)).toMatchObject([{ kind: 'everything' }]);
  });

  test('are unexplained if no feature explains them', () => {
    expect(explain([row('a', 1, 1), row('', 3, 0)], 0)).toMatchObject([
      { kind: 'unexplained', all: { refused: 1, total: 2 } },
    ]);
  });
});

test('accepted requests have no explanation', () => {
  expect(explain([row('a', 3, 0)], 0)).toEqual([]);
});

describe('body size', () => {
  const rowOfSize = (size: number, features: string, accepted: number, refused: number) =>
    row(`${features} size>=${size}`.trim(), accepted, refused);
  const small = [
    rowOfSize(100, 'seed', 9, 0),
    rowOfSize(200, 'tools', 3, 0),
    rowOfSize(320, 'image seed tools', 2, 0),
  ];
  const large = [
    rowOfSize(500, 'image', 0, 3),
    rowOfSize(640, 'tools', 0, 4),
    rowOfSize(400, 'seed tools', 0, 2),
    rowOfSize(800, 'seed', 0, 2),
  ];

  test('is one cause instead of several', () => {
    expect(explain([...small, ...large], 0)).toMatchObject([
      { features: ['size>=400'], with: { refused: 11, total: 11 }, without: { refused: 0, total: 14 } },
    ]);
  });

  test('explains refusals directly below its limit, too, which may be anywhere between two sizes', () => {
    const found = explain([...small, ...large, rowOfSize(320, 'seed tools', 1, 2)], 0);
    expect(found).toMatchObject([{ features: ['size>=400'], without: { refused: 2, total: 17 } }]);
    expect(found[0]?.exchanges).toHaveLength(13);
  });

  test('is not named if one feature, or two, explain as much', () => {
    const [a, b] = [rowOfSize(500, 'image', 0, 5), rowOfSize(640, 'tools x', 0, 4)];
    expect(explain([...small.slice(0, 1), a], 0)).toMatchObject([{ features: ['image'] }]);
    expect(explain([...small.slice(0, 1), a, b], 0)).toMatchObject([
      { features: ['image'] },
      { features: ['x'] },
    ]);
  });

  test('is not named if refusals are just as random among small bodies', () => {
    const rows = Array.from({ length: 40 }, (_, i) => rowOfSize(100 + (i % 2) * 25, `a${i}`, 1, 1));
    expect(explain([...rows, rowOfSize(400, 'b', 0, 2)], 0.5)).toMatchObject([{ kind: 'inconsistent' }]);
  });
});

describe('a target that treats equal requests differently', () => {
  test('has its noise estimated from the equal requests of which at least one was accepted', () => {
    const twice = [...Array(64).fill([2, 0]), ...Array(32).fill([1, 1]), ...Array(4).fill([0, 2])];
    expect(noiseOf(twice.map(([accepted, refused], i) => row(`r${i}`, accepted, refused)))).toBeCloseTo(
      0.2,
      3,
    );
  });

  test('has its certain cause in addition to random refusals, whether their rate is known or not', () => {
    const bits = (i: number) => (i * 2654435761) >>> 0;
    const sent = Array.from({ length: 100 }, (_, i) => {
      const features = [...'abcdefgh'].filter((_, bit) => (bits(i + 1) >>> (bit * 3)) % 3 === 0);
      return i % 5 === 0 ? row(features.join(' '), 0, 1) : row(features.join(' '), 1, 0);
    });
    const rows = [...sent, ...['a', 'b', 'c', 'd'].map((one) => row(`${one} n>1`, 0, 4))];
    for (const noise of [0, 0.2])
      expect(explain(rows, noise)).toMatchObject([
        { features: ['n>1'], with: { refused: 16, total: 16 } },
        { kind: noise === 0 ? 'unexplained' : 'inconsistent' },
      ]);
  });

  test('is under load from the lowest load that clearly raises its refusal rate', () => {
    const at = (load: number, accepted: number, refused: number) =>
      row(
        ['x', ...[1, 4, 8].filter((one) => one <= load).map((one) => `context.beside>=${one}`)]
          .toSorted()
          .join(' '),
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

  test('has no cause that chance explains as well', () => {
    const rows = [row('a', 2, 1), row('b', 0, 1), row('c', 0, 2), row('d', 0, 3)];
    expect(explain(rows, 1 / 3)).toMatchObject([{ kind: 'inconsistent', all: { refused: 7, total: 9 } }]);
  });

  test('has no cause if chance explains its refusals at the rate of all others, even if equal requests showed a lower rate', () => {
    const others = [row('a', 15, 21), row('b', 15, 21), row('c', 15, 21)];
    expect(explain([...others, row('stop', 0, 5)], 0.2)).toMatchObject([
      { kind: 'inconsistent', all: { refused: 68, total: 113 } },
    ]);
    expect(explain([...others, row('stop', 0, 20)], 0.2)).toMatchObject([
      { features: ['stop'] },
      { kind: 'inconsistent', all: { refused: 63, total: 108 } },
    ]);
  });

  test('still has the cause that chance does not explain', () => {
    const rows = [row('a', 2, 1), row('', 8, 4), row('n>1', 0, 20)];
    expect(explain(rows, 1 / 3)).toMatchObject([{ features: ['n>1'] }, { kind: 'inconsistent' }]);
  });

  test('has a likely moment only if it clearly refuses more often at that moment', () => {
    const alone = [row('x', 20, 1), row('y', 20, 0)];
    const concurrent = [row('context.beside>=1 x', 6, 20), row('context.beside>=1 y', 4, 20)];
    expect(findLikelyMoment([...alone, ...concurrent])).toBe('context.beside>=1');
    expect(findLikelyMoment([row('x', 20, 9), row('context.beside>=1 x', 20, 11)])).toBeNull();
    expect(findLikelyMoment([row('x', 2, 0), ...concurrent])).toBeNull();
  });

  test('is noisy, unless a moment explains its refusals', () => {
    expect(noiseOf([row('x', 2, 1), row('y', 5, 0)])).toBeCloseTo(0.14, 1);
    const repeated = [row('x', 2, 0), row('context.repeated x', 0, 3), row('context.repeated y', 0, 1)];
    expect(noiseOf(repeated)).toBe(0);
    expect(noiseOf([...repeated, row('z', 1, 0), row('context.repeated z', 1, 0)])).toBeGreaterThan(0);
  });

  test('has a decisive moment only if it refused every request at that moment', () => {
    const repeated = [row('x', 2, 0), row('context.repeated x', 0, 3), row('context.repeated y', 0, 1)];
    expect(findDecisiveMoment(repeated)).toBe('context.repeated');
    expect(findDecisiveMoment([...repeated, row('context.repeated z', 1, 0)])).toBeNull();
  });
});

test('random refusals are unexplained if no request was sent twice', () => {
  const parts = [...'abcdefghijkl'];
  const sent = Array.from({ length: 300 }, (_, i) =>
    parts.filter((_, bit) => ((i * 2654435761) >>> bit) % 5 === 0),
  );
  const rows = sent.map((features, i) => row(features.join(' '), i % 3 === 0 ? 0 : 1, i % 3 === 0 ? 1 : 0));
  expect(explain(rows, 0)).toMatchObject([{ kind: 'unexplained', all: { refused: 100 } }]);
});

const names = ['a', 'b', 'c', 'd', 'e'];
const requests = fc.array(fc.uniqueArray(fc.constantFrom(...names)), { minLength: 1, maxLength: 40 });

test('refusals that depend on single features are all explained, and no accepted request is', () => {
  fc.assert(
    fc.property(
      requests,
      fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }),
      (sent, bad) => {
        const rows = sent.map((features) => {
          const isRefused = features.some((one) => bad.includes(one));
          return row(features.toSorted().join(' '), isRefused ? 0 : 1, isRefused ? 1 : 0);
        });
        const found = explain(rows, 0);
        const isExplained = (one: RequestRow) =>
          found.some(
            (cause) =>
              cause.kind === 'everything' ||
              (cause.kind === 'features' &&
                cause.features.every((feature) => one.features.includes(feature))),
          );
        expect(rows.map(isExplained)).toEqual(rows.map(({ refused }) => refused > 0));
        // A target that decides by single features needs no pair to explain it.
        for (const cause of found) if (cause.kind === 'features') expect(cause.features).toHaveLength(1);
      },
    ),
  );
});
