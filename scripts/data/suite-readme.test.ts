import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as words from '../../extension/suite.ts';
import { renderSuiteReadme } from './suite-readme.ts';
import { exportedGroups, suiteWords } from './suite-words.ts';

const SOURCE = `
/** Every call of the operations. A second sentence. */
export function requests(
  ...operations: readonly string[]
): Selector<Requested> {
  return stateless(operations);
}

/** Evidence that fulfils a condition: the rest is ignored. */
export function where<E extends Evidence>(selector: Selector<E>, keep: (one: E) => boolean): Selector<E> {
  return { ...selector, keep };
}

export const lastEvent: EventPicker = (frames) => [frames.length - 1];

/** Not a word, although a function inside returns one. */
export function area(name: string): string {
  const inner = (): Mutation => {
    return change;
  };
  return name + inner.name;
}

/** Not exported. */
function swap(): Mutation {
  return change;
}
`;

test('exports are words if they have, or return, a type of the vocabulary', () => {
  expect(suiteWords(SOURCE)).toEqual([
    { name: 'requests', sentence: 'Every call of the operations.' },
    { name: 'where', sentence: 'Evidence that fulfils a condition.' },
    { name: 'lastEvent', sentence: '' },
  ]);
});

test('everything that assay/suite exports is listed with its purpose', () => {
  const listedNames = exportedGroups(readFileSync('extension/suite.ts', 'utf8')).flatMap(
    ({ names }) => names,
  );
  expect(listedNames.toSorted()).toEqual(Object.keys(words).toSorted());
  const page = renderSuiteReadme('.');
  const [own = ''] = page
    .slice(page.indexOf('## Words of extensions'))
    .split('\n## Words of the suites of assay');
  for (const name of listedNames) expect(own).toMatch(new RegExp(`^\\| \`${name}\` \\| [A-Z].{10}`, 'm'));
});

test('every link of the page leads into docs/, which the package contains, unlike sources', () => {
  const links = [...renderSuiteReadme('.').matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) {
    expect(link).toMatch(/^\.\.\/docs\//);
    expect(existsSync(join('suites', link))).toBe(true);
  }
});
