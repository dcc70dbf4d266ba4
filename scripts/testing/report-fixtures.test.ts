import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createReportFixtures } from './report-fixtures.ts';

test('the fixtures of reports are what the judge returns for their traces', async () => {
  for (const [name, fixture] of Object.entries(await createReportFixtures()))
    expect(JSON.parse(readFileSync(`reports/samples/${name}.json`, 'utf8')), name).toEqual(
      JSON.parse(JSON.stringify(fixture)),
    );
});
