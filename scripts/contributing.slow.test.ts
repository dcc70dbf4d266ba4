// The example of CONTRIBUTING.md, followed to the letter in a copy of the sources: the new requirement is in the ledger,
// judged against the reference, and seen to fail where its mutation applies.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlock, ROOT, readDocument } from './testing/documents.ts';

const COPIED = [
  ...[
    'bench',
    'cassettes',
    'cli',
    'docs',
    'drive',
    'exchange',
    'judge',
    'pipeline',
    'proxy',
    'reference',
    'reports',
  ],
  ...['schemas', 'scripts', 'suites', 'index.ts', 'package.json', 'tsconfig.json', 'biome.json'],
];
const ID = 'models.list.named';

const copy = mkdtempSync(join(tmpdir(), 'assay-contributing-'));
const CONTRIBUTING = readDocument('CONTRIBUTING.md');

const [GENERATE = '', RUN = '', EXPLAIN = ''] = codeBlock(CONTRIBUTING, 'sh', ID)
  .trimEnd()
  .split('\n')
  .map((line) => line.replace(/\s+#.*$/, ''));

beforeAll(() => {
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  // The generators list the sources by git.
  spawnSync('git', ['init', '-q'], { cwd: copy });
  const example = codeBlock(CONTRIBUTING, 'ts', `implied('${ID}'`);
  const [, file = ''] = /^\/\/ (\S+)\n/.exec(example) ?? [];
  writeFileSync(join(copy, file), example);
});
afterAll(() => rmSync(copy, { recursive: true }));

/** Runs a line of the document in the copy, and returns what it printed. Fails unless it ends with 0. */
function follow(line: string): string {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NO_COLOR: '1',
    ASSAY_REPORT: 'json',
  };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd: copy, encoding: 'utf8', env });
  expect(status, `${line}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

test('the new requirement is in the ledger', () => {
  follow(GENERATE);
  expect(readFileSync(join(copy, 'suites/ledger.json'), 'utf8')).toContain(`"${ID}"`);
});

test('it is judged against the reference', () => {
  follow(RUN);
  const report = JSON.parse(readFileSync(join(copy, 'assay-report/report.json'), 'utf8'));
  const judged = report.requirements.find(({ id }: { readonly id: string }) => id === ID);
  expect(judged).toMatchObject({ verdict: 'pass', level: 'MUST' });
  expect(judged.observations).toBeGreaterThan(0);
});

test('its mutation makes it fail', () => {
  const explained = follow(EXPLAIN);
  expect(explained).toContain('the first without an id');
  expect(explained).toContain('/data/0/id');
});
