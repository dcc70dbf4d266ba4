// Each condition of the errata of the shipped dialects is needed, and so is each requirement that they name: without
// one of them, a dialect excuses too much or too little.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, inject, test } from 'vitest';
import { readDialect } from '../judge/dialects/dialect.ts';
import type { JsonObject } from '../schemas/json.ts';
import { type ErratumMutant, errataMutants } from './testing/errata-mutants.ts';
import { brokenIds, judgeServiceTraffic } from './testing/service-traffic.ts';
import { DIALECT_CASES } from './testing/today/cases.ts';
import type { ErratumCase } from './testing/today/errata.ts';

/** A case, and what its excused traffic breaks without the dialect. */
interface MeasuredCase extends ErratumCase {
  readonly broken: readonly string[];
}

/** Whether the cases of the erratum detect that a dialect was changed. */
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

const fileOf = (name: string): JsonObject =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`#dialects/${name}.json`), 'utf8'));
const byErratum = (name: string, cases: readonly ErratumCase[]) => {
  const mutants = errataMutants(fileOf(name));
  return [...new Set(mutants.map(({ erratum }) => erratum))].map((erratum) => ({
    erratum,
    mutants: mutants.filter((one) => one.erratum === erratum),
    cases: cases.filter((one) => one.erratum === erratum),
  }));
};

const rotation = inject('rotation');
/** CI tries a third of the errata per commit. */
const tried = Object.entries(DIALECT_CASES)
  .flatMap(([name, cases]) => byErratum(name, cases))
  .filter((_, n) => rotation === null || n % 3 === rotation % 3);

test.each(tried)('each condition and each name in $erratum is needed', async ({ mutants, cases }) => {
  const measured: MeasuredCase[] = [];
  for (const one of cases)
    measured.push({ ...one, broken: brokenIds(await judgeServiceTraffic(one.excused, null, one.side)) });
  const survivors: string[] = [];
  for (const mutant of mutants)
    if (!(await isKilled(mutant, measured))) survivors.push(`${mutant.shownBy} ${mutant.change}`);
  expect(survivors).toEqual([]);
});
