import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { putFilesAside, putProxyFilesAside } from './earlier-files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-earlier-'));
  return () => rmSync(dir, { recursive: true });
});

function write(content: string, ...further: readonly string[]) {
  for (const name of ['report.json', 'cassette/cassette.jsonl', ...further]) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
}
const RESULT = 'allure-results/00000000-0000-8000-8000-000000000000-result.json';
const readText = (name: string) => readFileSync(join(dir, name), 'utf8');

test('files of an earlier run are restored in place of new ones', () => {
  write('old', RESULT);
  const earlier = putFilesAside(dir);
  expect([
    earlier.hasReport,
    existsSync(join(dir, 'report.json')),
    existsSync(join(dir, 'cassette')),
  ]).toEqual([true, false, false]);
  write('new', 'junit.xml');
  earlier.restore();
  expect(readdirSync(dir).toSorted()).toEqual(['allure-results', 'cassette', 'report.json']);
  expect([readText('report.json'), readText('cassette/cassette.jsonl')]).toEqual(['old', 'old']);
});

test('files of an earlier run are removed once the next one has its own', () => {
  write('old');
  const earlier = putFilesAside(dir);
  write('new');
  earlier.drop();
  expect(readdirSync(dir).toSorted()).toEqual(['cassette', 'report.json']);
  expect(readText('report.json')).toBe('new');
});

test('a second run after a killed one removes the traffic and Allure results set aside, and keeps other reports', () => {
  write('old', 'report.html', RESULT);
  putFilesAside(dir);
  expect(putFilesAside(dir).hasReport).toBe(false);
  expect(readdirSync(dir)).toEqual(['earlier']);
  expect(readdirSync(join(dir, 'earlier')).toSorted()).toEqual(['report.html', 'report.json']);
  expect(readText('earlier/report.html')).toBe('old');
});

test('a file of another program in the cassette stays there, and nothing is set aside', () => {
  write('old', 'cassette/.gitkeep');
  expect(putFilesAside(dir).hasReport).toBe(false);
  expect(readdirSync(join(dir, 'cassette'))).toEqual(['.gitkeep']);
});

test('reports in formats that the next run does not write are kept, but not traffic, ledger and Allure results', () => {
  write('old', 'report.html', 'ledger.jsonl', RESULT);
  const earlier = putFilesAside(dir);
  write('new');
  expect(earlier.drop()).toEqual(['report.html']);
  expect(readdirSync(dir).toSorted()).toEqual(['cassette', 'earlier', 'report.json']);
  expect([readText('report.json'), readText('earlier/report.html')]).toEqual(['new', 'old']);
});

test('a proxy replaces the files of an earlier proxy, but refuses to replace the report of a run', () => {
  write('old', 'report.html');
  const earlier = putProxyFilesAside(dir);
  write('new');
  expect(earlier.drop()).toEqual(['report.html']);
  expect([readText('report.json'), readText('earlier/report.html')]).toEqual(['new', 'old']);
  write('old', 'ledger.jsonl');
  expect(() => putProxyFilesAside(dir)).toThrow('has the report of a run, which would be lost');
});
