import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Report } from '../reports/report.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-compare-'));
const [good, bad] = ['good', 'bad'].map((name) => join(folder, name)) as [string, string]; // as: two names

beforeAll(() => {
  const text = readFileSync('reports/samples/reference/report.json', 'utf8');
  const report = JSON.parse(text) as Report; // as: its schema is tested elsewhere
  const requirements = report.requirements.map((one) =>
    one.id === 'file:bytes#type' ? { ...one, verdict: 'fail' } : one,
  );
  for (const dir of [good, bad]) mkdirSync(dir);
  writeFileSync(join(good, 'report.json'), text);
  writeFileSync(join(bad, 'report.json'), JSON.stringify({ ...report, requirements }));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('compare distinguishes worse from better by its exit code', async () => {
  const worse = await runAssay(['compare', good, bad]);
  expect(worse.stdout).toContain('pass → fail');
  expect(worse.code).toBe(1);
  const better = await runAssay(['compare', bad, join(good, 'report.json')]);
  expect(better.stdout).toContain('fail → pass');
  expect(better.code).toBe(0);
});

test('compare on a folder with only a cassette says how to write report.json, and matrix that it is missing', async () => {
  const dir = join(folder, 'cassette only');
  cpSync('cassettes/assistant-session', join(dir, 'cassette'), { recursive: true });
  const compared = await runAssay(['compare', good, dir]);
  expect(compared.code).toBe(2);
  expect(compared.stderr).toContain(`Write the report with npx assay check '${join(dir, 'cassette')}'`);
  const matrix = await runAssay(['matrix', dir]);
  expect(matrix.code).toBe(2);
  expect(matrix.stderr).toContain('has no report.json, but a cassette');
});

test('the matrix shows two reports side by side, as Markdown or HTML', async () => {
  const { code, stdout } = await runAssay(['matrix', `first=${good}`, bad]);
  expect(stdout).toContain('| requirement | sentence | first | bad |');
  expect(code).toBe(0);
  const page = await runAssay(['matrix', good, bad, '--format', 'html']);
  expect(page.stdout).toContain('<!doctype html>');
});

test('the matrix names reports in folders of the same name by their paths', async () => {
  const again = join(folder, 'later', 'good');
  cpSync(join(good, 'report.json'), join(again, 'report.json'));
  const { stdout } = await runAssay(['matrix', good, again, bad]);
  expect(stdout).toContain(`| requirement | sentence | ${good} | ${again} | bad |`);
});
