// What real clients return for broken answers: in a process of its own, since one of them rejects promises that nobody can catch.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { catalogue } from '../../suites/index.ts';

/** Milliseconds. Four libraries answer eight questions for each change of a requirement. */
const ALL_QUESTIONS = 300_000;

test(
  'each requirement that clients rely on breaks one of them at least, as the page says',
  async () => {
    const script = ['--import', 'tsx', 'scripts/clients/generate-reliance.ts', '--print'];
    const { stdout } = await promisify(execFile)(process.execPath, script, { maxBuffer: 1e7 });
    // To fix a difference: npm run generate:reliance
    expect(readFileSync('docs/client-reliance.md', 'utf8')).toBe(stdout);
    const sections = stdout.split('\n## ').slice(1);
    const { requirementSets } = await catalogue();
    const relied = requirementSets.flatMap(({ requirements }) =>
      requirements.filter(({ basis }) => basis === 'clients').map(({ id }) => id),
    );
    expect(sections.map((one) => one.split('\n', 1)[0])).toEqual(relied.toSorted().map((id) => `\`${id}\``));
    expect(sections.filter((one) => !/\n\| (?!change|---)/.test(one))).toEqual([]);
  },
  ALL_QUESTIONS,
);
