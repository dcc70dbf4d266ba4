// Writes reports/samples/{broken,green,nothing}.json: judgements on which the tests of all report formats work. A test holds
// the committed files against what the judge gives.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportFixtures } from './report-fixtures.ts';

const folder = join(import.meta.dirname, '../../reports/samples');

for (const [name, fixture] of Object.entries(await reportFixtures()))
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(fixture, null, 2)}\n`);
