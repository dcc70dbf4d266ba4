import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCodeBlock, ROOT, readDocument } from './testing/documents.ts';
import { ReaderFolder, type ShellResult } from './testing/reader-folder.ts';

/** Text that occurs only in the block of the page with the script, by the name of the script. */
const SCRIPTS = {
  'bucket.sh': 'bucket() {',
  'cut.sh': 'assay partition',
  'judge.sh': 'assay check "$1"',
  'sum.sh': 'assay merge',
};
const RECORDINGS = ['00', '01'];

const KEY = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
};

const folder = new ReaderFolder({});
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: join(folder.path, 'objects'),
  configureBuckets: [{ name: 'traffic', configs: [] }],
});
let environment: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  const { port } = await server.run();
  environment = { ...KEY, BUCKET: `http://127.0.0.1:${port}/traffic` };
  const page = readDocument('docs/scale.md');
  for (const [name, content] of Object.entries(SCRIPTS))
    folder.write(`scripts/${name}`, findCodeBlock(page, 'bash', content));
  for (const name of RECORDINGS)
    cpSync(join(ROOT, 'cassettes/assistant-session'), join(folder.path, name), { recursive: true });
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

test('the scripts judge the parts of a day in the bucket, and give the same report as a check of the whole', async () => {
  for (const name of RECORDINGS)
    await runSuccessfully(
      '.',
      `. scripts/bucket.sh; tar -czf ${name}.tgz ${name}; bucket -T ${name}.tgz "$BUCKET/day/${name}.tgz"`,
    );
  await runSuccessfully('cutter', 'bash ../scripts/cut.sh');
  for (const task of ['1', '0']) await runSuccessfully(`machine-${task}`, `bash ../scripts/judge.sh ${task}`);
  const merged = await runOn('reducer', 'bash ../scripts/sum.sh');
  const checked = await folder.runHere('npx assay check 00 01 --report json --report-dir whole');
  expect(merged.code, merged.output).toBe(checked.code);
  await runSuccessfully('reader', '. ../scripts/bucket.sh; bucket "$BUCKET/report.tgz" | tar -xz');
  expect(readReport('reader/assay-report')).toBe(readReport('whole'));
});

test('a task whose object is missing fails, and writes no result', async () => {
  const { code, output } = await runOn('idle', 'bash ../scripts/judge.sh 7');
  expect(code).not.toBe(0);
  expect(output).toContain('error: 404');
  expect(existsSync(join(folder.path, 'idle/7.json'))).toBe(false);
});

function runOn(machine: string, line: string): Promise<ShellResult> {
  mkdirSync(join(folder.path, machine), { recursive: true });
  return folder.run(`cd ${machine}; ${line}`, environment);
}

async function runSuccessfully(machine: string, line: string): Promise<void> {
  const { code, output } = await runOn(machine, line);
  expect(code, output).toBe(0);
}

function readReport(name: string): string {
  return readFileSync(join(folder.path, name, 'report.json'), 'utf8');
}
