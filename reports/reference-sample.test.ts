// The committed sample is from an earlier run: it must still be a valid report, but need not equal a new one.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAjv } from '../schemas/index.ts';
import { escapeText } from './html/markup.ts';
import type { Report } from './report.ts';

const readText = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
// as: the first test validates it against its schema
const report = JSON.parse(readText('samples/reference/report.json')) as Report;
const page = readText('samples/reference/report.html');

test('the sample matches the schema of reports', () => {
  const validate = createAjv().compile(JSON.parse(readText('report.schema.json')));
  validate(report);
  expect(validate.errors ?? []).toEqual([]);
});

test('the sample shows a conforming run that exercised all operations', () => {
  expect(report.summary.verdict).toBe('conforms');
  expect(report.summary.operations).toEqual({ total: 63, claimed: 63, exercised: 63 });
});

test('the page next to the sample shows the same target and requirements', () => {
  expect(page).toContain(report.target.baseUrl);
  const ids = report.requirements.map(({ id }) => id);
  expect(ids).toContain('createChatCompletion:accepts');
  expect(ids.filter((id) => !page.includes(`<code>${escapeText(id)}</code>`))).toEqual([]);
});

test('the page is smaller than 1 MB and loads no other resource', () => {
  expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
  expect(page).not.toMatch(/(?:src|href)="https?:/);
  const tags = page.match(/<(?:link|script|img|iframe|object|embed|audio|video|source)\b[^>]*>/g);
  expect(tags).toEqual(['<link rel="icon" href="data:,">', '<script>']);
  expect(page).not.toMatch(/@import|url\(/);
});
