import { expect, test } from 'vitest';
import {
  brokenIds,
  judgeServiceTraffic,
  readDialectText,
  readShippedDialect,
  type Sketch,
} from './testing/service-traffic.ts';
import { DIALECT_CASES } from './testing/today/cases.ts';

const openai = readShippedDialect('openai');
const CASES = Object.entries(DIALECT_CASES).flatMap(([name, cases]) => {
  const dialect = name === 'openai' ? openai : readShippedDialect(name);
  return cases.map((one) => ({ ...one, dialect }));
});
const brokenIdsIn = async (
  traffic: readonly Sketch[],
  dialect: typeof openai | null,
  side?: 'client',
  only?: readonly string[],
) => brokenIds(await judgeServiceTraffic(traffic, dialect, side, only));

test.each(CASES)('$erratum excuses its deviation', async ({ erratum, side, excused, dialect }) => {
  expect(await brokenIdsIn(excused, null, side)).not.toEqual([]);
  const judgement = await judgeServiceTraffic(excused, dialect, side);
  expect(brokenIds(judgement)).toEqual([]);
  expect(judgement.errata.map(({ id }) => id)).toContain(erratum);
});

test.each(
  CASES.flatMap(({ erratum, side, beyond, dialect }) =>
    beyond.map((one, n) => ({ erratum, n, side, dialect, ...one })),
  ),
)('$erratum excuses nothing else: $n, $breaks', async ({ traffic, side, breaks, dialect }) => {
  expect(await brokenIdsIn(traffic, dialect, side, [breaks])).toEqual([breaks]);
});

interface DialectFile {
  readonly errata: readonly {
    readonly id: string;
    readonly paths?: object;
    readonly since?: string;
    readonly evidence?: string;
    readonly sources?: readonly string[];
  }[];
}

function readErrata(name: string): DialectFile['errata'] {
  const { errata }: DialectFile = JSON.parse(readDialectText(name));
  return errata;
}

test.each(Object.keys(DIALECT_CASES))(
  'each erratum of %s has a date and evidence, and sources unless its evidence is none',
  (name) => {
    const errata = readErrata(name);
    expect(errata.filter(({ since, evidence }) => since === undefined || evidence === undefined)).toEqual([]);
    const unsourced = errata.filter(
      ({ evidence, sources }) => (evidence === 'none') !== (sources === undefined),
    );
    expect(unsourced).toEqual([]);
  },
);

test.each(Object.entries(DIALECT_CASES))('each erratum of %s that moves no path has cases', (name, cases) => {
  const excusing = readErrata(name).filter(({ paths }) => paths === undefined);
  const ids = excusing.map(({ id }) => id).toSorted();
  expect([...new Set(cases.map(({ erratum }) => erratum))].toSorted()).toEqual(ids);
});

test('each case of an erratum has traffic that stays a violation', () => {
  expect(CASES.filter(({ beyond }) => beyond.length === 0)).toEqual([]);
});

test('file-batch-paths moves only the operations of file batches', async () => {
  const judgeRead = (path: string) =>
    judgeServiceTraffic(
      [{ call: `GET /v1/vector_stores/vs_a/${path}`, beta: 'v2', answer: { object: 5 } }],
      openai,
    );
  const rule = 'vector_store.file_batch:object#type';
  expect(brokenIds(await judgeRead('file_batches/vsfb_a'))).toContain(rule);
  for (const other of ['filebatches/vsfb_a', 'file_batches', 'file_batches/vsfb_a/more'])
    expect(brokenIds(await judgeRead(other))).toEqual([]);
});
