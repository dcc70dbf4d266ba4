// Each condition of the errata of the shipped dialects is needed, and so is each requirement that they name: without
// one of them, a dialect excuses too much or too little.
import { expect, inject, test } from 'vitest';
import { readDialect } from '../judge/dialects/dialect.ts';
import { type ErratumMutant, errataMutants } from './testing/errata-mutants.ts';
import { brokenIds, judgeServiceTraffic, readDialectText } from './testing/service-traffic.ts';
import type { ErratumCase } from './testing/today/case.ts';
import { DIALECT_CASES } from './testing/today/cases.ts';

interface MeasuredCase extends ErratumCase {
  readonly broken: readonly string[];
}

async function isKilled(mutant: ErratumMutant, cases: readonly MeasuredCase[]): Promise<boolean> {
  const dialect = readDialect(JSON.stringify(mutant.file), 'a mutant');
  for (const { side, excused, broken, beyond } of cases) {
    if (mutant.shownBy === 'excused') {
      if (brokenIds(await judgeServiceTraffic(excused, dialect, side, broken)).length > 0) return true;
      continue;
    }
    for (const { traffic, breaks } of beyond)
      if (brokenIds(await judgeServiceTraffic(traffic, dialect, side, [breaks])).length === 0) return true;
  }
  return false;
}

const groupByErratum = (name: string, cases: readonly ErratumCase[]) => {
  const mutants = errataMutants(JSON.parse(readDialectText(name)));
  return [...new Set(mutants.map(({ erratum }) => erratum))].map((erratum) => ({
    erratum,
    mutants: mutants.filter((one) => one.erratum === erratum),
    cases: cases.filter((one) => one.erratum === erratum),
  }));
};

const rotation = inject('rotation');
/** All errata; in CI, a third of them for each commit. */
const sampledErrata = Object.entries(DIALECT_CASES)
  .flatMap(([name, cases]) => groupByErratum(name, cases))
  .filter((_, n) => rotation === null || n % 3 === rotation % 3);

test.each(sampledErrata)('each condition and each name in $erratum is needed', async ({ mutants, cases }) => {
  const measured: MeasuredCase[] = [];
  for (const one of cases)
    measured.push({ ...one, broken: brokenIds(await judgeServiceTraffic(one.excused, null, one.side)) });
  const survivors: string[] = [];
  for (const mutant of mutants)
    if (!(await isKilled(mutant, measured))) survivors.push(`${mutant.shownBy} ${mutant.change}`);
  expect(survivors).toEqual([]);
});
