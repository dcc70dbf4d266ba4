import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RequestRow } from '../judge/requirements/acceptance-facts.ts';
import { explain } from './causes.ts';
import { createRow } from './testing/request-row.ts';

describe('refusals', () => {
  test('are explained by the feature that only refused requests have, with the counts without it', () => {
    const rows = [
      createRow('', 90, 0),
      createRow('n', 6, 0),
      createRow('n n>1', 0, 10),
      createRow('n n>1 stop', 0, 4),
    ];
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
    const rows = [
      createRow('', 5, 0),
      createRow('seed', 5, 0),
      createRow('stream', 5, 0),
      createRow('seed stream', 0, 5),
    ];
    expect(explain(rows, 0)).toMatchObject([
      { features: ['seed', 'stream'], with: { refused: 5, total: 5 } },
    ]);
  });

  test('are explained by a parameter that is accepted as null, whatever else was in flight', () => {
    const rows = [createRow('', 90, 0), createRow('suffix suffix=null', 1, 0), createRow('suffix', 0, 1)];
    const concurrentRow = createRow('context.beside>=1 n suffix', 0, 1);
    expect(explain([...rows, concurrentRow, createRow('context.beside>=1 n', 3, 0)], 0)).toMatchObject([
      { features: ['suffix'], with: { refused: 2, total: 2 }, without: { refused: 0, total: 94 } },
    ]);
  });

  test('are explained by a null if other values of the parameter are accepted', () => {
    expect(
      explain([createRow('', 9, 0), createRow('suffix suffix=null', 0, 2), createRow('suffix', 3, 0)], 0),
    ).toMatchObject([{ features: ['suffix=null'], with: { refused: 2, total: 2 } }]);
  });

  test('are explained by a pair of features, not by a parameter accepted only as null, if the pair explains more refusals', () => {
    const accepted = [createRow('stop stop=null', 1, 0), createRow('n', 1, 0), createRow('seed', 1, 0)];
    expect(
      explain([...accepted, createRow('n seed', 0, 1), createRow('n seed stop', 0, 1)], 0),
    ).toMatchObject([{ features: ['n', 'seed'], with: { refused: 2, total: 2 } }]);
  });

  test('are not explained by a member of list elements that was accepted as null', () => {
    const history = createRow('messages[].content messages[].content=null', 5, 0);
    const [first] = explain(
      [history, createRow('messages[].content n seed', 0, 2), createRow('n', 1, 0), createRow('seed', 1, 0)],
      0,
    );
    expect(first).toMatchObject({ features: ['n', 'seed'] });
  });

  test('have two causes if no single one covers them, the larger first', () => {
    const rows = [createRow('a', 0, 2), createRow('b', 0, 7), createRow('c', 4, 0)];
    expect(explain(rows, 0)).toMatchObject([{ features: ['b'] }, { features: ['a'] }]);
  });

  test('are explained together with the equivalent features, which exactly the same requests have', () => {
    const [found] = explain([createRow('tools tools[].type', 0, 3), createRow('', 3, 0)], 0);
    expect(found).toMatchObject({ features: ['tools'], equivalent: [['tools[].type']] });
  });

  test('have a single cause if every request was refused', () => {
    expect(explain([createRow('a', 0, 3), createRow('', 0, 1)], 0)).toMatchObject([{ kind: 'everything' }]);
  });

  test('are unexplained if no feature explains them', () => {
    expect(explain([createRow('a', 1, 1), createRow('', 3, 0)], 0)).toMatchObject([
      { kind: 'unexplained', all: { refused: 1, total: 2 } },
    ]);
  });
});

test('accepted requests have no explanation', () => {
  expect(explain([createRow('a', 3, 0)], 0)).toEqual([]);
});

describe('body size', () => {
  const rowOfSize = (size: number, features: string, accepted: number, refused: number) =>
    createRow(`${features} size>=${size}`.trim(), accepted, refused);
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

  test('explains refusals directly below its limit, too, because that of the target may lie between two sizes', () => {
    const found = explain([...small, ...large, rowOfSize(320, 'seed tools', 1, 2)], 0);
    expect(found).toMatchObject([{ features: ['size>=400'], without: { refused: 2, total: 17 } }]);
    expect(found[0]?.exchanges).toHaveLength(13);
  });

  test('is not named if one or two features explain as much', () => {
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
  test('has its certain cause in addition to random refusals, whether their rate is known or not', () => {
    const bits = (i: number) => (i * 2654435761) >>> 0;
    const sent = Array.from({ length: 100 }, (_, i) => {
      const features = [...'abcdefgh'].filter((_, bit) => (bits(i + 1) >>> (bit * 3)) % 3 === 0);
      return i % 5 === 0 ? createRow(features.join(' '), 0, 1) : createRow(features.join(' '), 1, 0);
    });
    const rows = [...sent, ...['a', 'b', 'c', 'd'].map((one) => createRow(`${one} n>1`, 0, 4))];
    for (const noise of [0, 0.2])
      expect(explain(rows, noise)).toMatchObject([
        { features: ['n>1'], with: { refused: 16, total: 16 } },
        { kind: noise === 0 ? 'unexplained' : 'inconsistent' },
      ]);
  });

  test('has no cause that chance explains as well', () => {
    const rows = [createRow('a', 2, 1), createRow('b', 0, 1), createRow('c', 0, 2), createRow('d', 0, 3)];
    expect(explain(rows, 1 / 3)).toMatchObject([{ kind: 'inconsistent', all: { refused: 7, total: 9 } }]);
  });

  test('has a cause only if its refusals are unlikely at the rate of all others, even if equal requests showed a lower rate', () => {
    const others = [createRow('a', 15, 21), createRow('b', 15, 21), createRow('c', 15, 21)];
    expect(explain([...others, createRow('stop', 0, 5)], 0.2)).toMatchObject([
      { kind: 'inconsistent', all: { refused: 68, total: 113 } },
    ]);
    expect(explain([...others, createRow('stop', 0, 20)], 0.2)).toMatchObject([
      { features: ['stop'] },
      { kind: 'inconsistent', all: { refused: 63, total: 108 } },
    ]);
  });

  test('still has the cause that chance does not explain', () => {
    const rows = [createRow('a', 2, 1), createRow('', 8, 4), createRow('n>1', 0, 20)];
    expect(explain(rows, 1 / 3)).toMatchObject([{ features: ['n>1'] }, { kind: 'inconsistent' }]);
  });
});

test('random refusals are unexplained if equal requests showed no noise', () => {
  const parts = [...'abcdefghijkl'];
  const sent = Array.from({ length: 300 }, (_, i) =>
    parts.filter((_, bit) => ((i * 2654435761) >>> bit) % 5 === 0),
  );
  const rows = sent.map((features, i) =>
    createRow(features.join(' '), i % 3 === 0 ? 0 : 1, i % 3 === 0 ? 1 : 0),
  );
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
          return createRow(features.toSorted().join(' '), isRefused ? 0 : 1, isRefused ? 1 : 0);
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
