// The committed sample is from an earlier run: it must still be a valid report, but need not equal a new one.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAjv } from '../schemas/index.ts';
import { escapeText } from './html/markup.ts';
import type { Report } from './report.ts';

const readText = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

test('the sample matches the schema of reports, and shows a conforming run', () => {
  const report = JSON.parse(readText('samples/reference/report.json')) as Report; // as: the schema is checked below
  const validate = createAjv().compile(JSON.parse(readText('report.schema.json')));
  validate(report);
  expect(validate.errors ?? []).toEqual([]);
  expect(report.summary.verdict).toBe('conforms');
  expect(report.summary.operations).toEqual({ total: 63, claimed: 63, exercised: 63 });
});

test('the page next to the sample shows the same run, and loads nothing', () => {
  const report = JSON.parse(readText('samples/reference/report.json')) as Report; // as: tested above
  const page = readText('samples/reference/report.html');
  expect(page).toContain(report.target.baseUrl);
  for (const { id } of report.requirements)
    expect(page.includes(`<code>${escapeText(id)}</code>`)).toBe(true);
  expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
  expect(page).not.toMatch(/(?:src|href)="https?:/);
});
