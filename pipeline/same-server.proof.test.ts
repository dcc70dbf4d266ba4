import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings } from '../drive/configuration/settings.ts';
import type { Report } from '../reports/report.ts';
import { isObject } from '../schemas/json.ts';
import { judgeRecordings } from './check.ts';

let folder: string;
let baseline: string;
const LATER_RUNS = [2, 3, 4, 5] as const;
const ACCEPTANCE = ['createChatCompletion:accepts', 'createCompletion:accepts'];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-same-server-'));
  baseline = join(folder, 'baseline.json');
  for (const run of [1, ...LATER_RUNS]) unpack(run);
  const first = await judge(1, {}, { baselineWrite: baseline, baselineReason: 'known' });
  expect(first.summary.exitCode).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

function unpack(run: number): void {
  const packed = readFileSync(new URL(`testing/llama-server/run-${run}.json.gz`, import.meta.url));
  const files: unknown = JSON.parse(gunzipSync(packed).toString('utf8'));
  if (!isObject(files)) throw new Error(`run ${run} contains no files`);
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, `run-${run}`, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, String(text));
  }
}

function judge(
  run: number,
  flags: Readonly<Record<string, unknown>>,
  output: Parameters<typeof judgeRecordings>[2] = {},
): Promise<Report> {
  const given = { dialect: 'compatible', report: ['terminal'], ...flags };
  const settings = readSettings({ flags: given, env: {}, file: null, readText: () => '' });
  return judgeRecordings([join(folder, `run-${run}`)], settings, output);
}

function listFailures({ requirements }: Report): readonly string[] {
  return requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
}

test('each later run has the failures of the first, passes both acceptance requirements, and passes with its baseline', async () => {
  const failing = listFailures(await judge(1, { baseline }));
  expect(failing).toContain('chat.reply.json-mode-is-json');
  for (const run of LATER_RUNS) {
    const report = await judge(run, { baseline });
    expect([run, report.summary.exitCode, listFailures(report)]).toEqual([run, 0, failing]);
    // Requests lost because the server closed a connection, as it had announced, leave no operation undecided.
    const accepts = report.requirements.filter(({ id }) => ACCEPTANCE.includes(id));
    expect(accepts.map(({ verdict }) => verdict)).toEqual(['pass', 'pass']);
  }
});

test('--strict-baseline requires an entry for what chance left undecided', async () => {
  const report = await judge(3, { baseline, strictBaseline: true });
  expect(report.summary).toMatchObject({
    exitCode: 2,
    causes: [{ kind: 'inconclusive', count: 1 }],
    strictBaseline: true,
  });
});
