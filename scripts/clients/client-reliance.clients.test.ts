// The clients run in their own process, because one of them leaves rejected promises unhandled.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { catalogue } from '../../suites/index.ts';

const rotation = inject('rotation');
/** CI tries a third of the requirements per commit. */
const SAMPLE = rotation === null ? [] : ['--sample', `${rotation}`];
/** Timeout of the test, in which five clients receive each change that breaks a requirement. */
const TIMEOUT_MS = 300_000;

test(
  'each requirement that clients rely on, if broken, damages a result of one of them as the page says',
  async () => {
    const script = ['--import', 'tsx', 'scripts/clients/generate-reliance.ts', '--print', ...SAMPLE];
    const { stdout } = await promisify(execFile)(process.execPath, script, { maxBuffer: 1e7 });
    // To fix a difference: npm run generate:reliance
    const page = sectionsOf(readFileSync('docs/client-reliance.md', 'utf8'));
    const printed = sectionsOf(stdout);
    const printedHeadings = printed.map(headingOf);
    expect(printed).toEqual(page.filter((section) => printedHeadings.includes(headingOf(section))));
    expect(printed.length).toBeGreaterThan(5);
    const [, ...sections] = page;
    const { requirementSets } = await catalogue();
    const reliedIds = requirementSets.flatMap(({ requirements }) =>
      requirements.filter(({ basis }) => basis === 'clients').map(({ id }) => id),
    );
    expect(sections.map(headingOf)).toEqual(reliedIds.toSorted().map((id) => `\`${id}\``));
    expect(sections.filter((one) => !/\n\| (?!change|---)/.test(one))).toEqual([]);
  },
  TIMEOUT_MS,
);

const headingOf = (section: string) => section.split('\n', 1)[0];
const sectionsOf = (page: string): readonly string[] => page.split('\n## ').map((one) => one.trim());
