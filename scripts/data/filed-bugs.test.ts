import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderFiledBugs } from './filed-bugs.ts';

const page = await renderFiledBugs();
const [bugs = '', differences = ''] = page.split('## Harmless differences');

test('the committed page is the one that the declarations generate', () => {
  expect(readFileSync('docs/filed-bugs.md', 'utf8')).toBe(page);
});

const listRows = (text: string): readonly string[] =>
  text.split('\n').filter((line) => /^\| (?!---|fault|behaviour)/.test(line));
const findReports = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\[([\w.-]+\/[\w.-]+#\d+)\]/g)].map(([, report = '']) => report));

test('each row cites one issue or pull request', () => {
  for (const row of [...listRows(bugs), ...listRows(differences)]) expect(findReports(row).size, row).toBe(1);
});

test('the tables cite at least 60 and 20 distinct issues or pull requests', () => {
  expect(findReports(bugs).size).toBeGreaterThanOrEqual(60);
  expect(findReports(differences).size).toBeGreaterThanOrEqual(20);
});
