import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import { recoverCassette } from '../../exchange/cassette/finish.ts';
import { isNote } from '../../exchange/trace.ts';
import { bundle } from '../testing/bundle.ts';
import { startUpstream, type TestUpstream } from '../testing/upstream.ts';
import { startRecorder } from './record.ts';

let root: string;
let program: string;
let service: TestUpstream;
let warnings: string[];
const collectWarning = ({ message }: Error) => warnings.push(message);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-interrupted-'));
  mkdirSync(join(root, 'program'));
  program = await bundle('proxy/testing/recorder-process.ts', join(root, 'program'));
  service = await startUpstream((req, res) => res.end(req.url));
});
afterAll(async () => {
  await service.close();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  warnings = [];
  process.on('warning', collectWarning);
});
afterEach(() => process.off('warning', collectWarning));

async function recordAndKill(cassette: string, path: string | null): Promise<void> {
  const child = spawn(process.execPath, [program, service.url, cassette], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const [url] = await once(createInterface(child.stdout), 'line');
  if (path !== null) await (await fetch(`${String(url)}${path}`)).text();
  child.kill('SIGKILL');
  await exit;
}

async function record(cassette: string, path: string): Promise<void> {
  const recorder = await startRecorder({ baseUrl: service.url, cassette });
  await (await fetch(`${recorder.url}${path}`)).text();
  await recorder.close();
}

async function readTargets(dir: string): Promise<string[]> {
  return (await readTrace(dir)).items.flatMap((item) => (isNote(item) ? [] : [item.request.target]));
}

test.each([
  { what: 'a first recording', replaces: false },
  { what: 'a recording that was to replace another', replaces: true },
])(
  'if $what is killed, the next recorder sets it aside, and keeps what was set aside before',
  async ({ replaces }) => {
    const dir = join(root, replaces ? 'replacement' : 'first');
    if (replaces) await record(dir, '/before');
    await recordAndKill(dir, '/killed');
    expect(existsSync(`${dir}.recording`)).toBe(true);
    await record(dir, '/after');
    expect(await readTargets(dir)).toEqual(['/v1/after']);
    const aside = `${dir}.interrupted`;
    expect(warnings).toEqual([expect.stringContaining(`npx assay recover ${aside}`)]);
    recoverCassette(aside);
    expect(await readTargets(aside)).toEqual(['/v1/killed']);
    await recordAndKill(dir, '/again');
    await record(dir, '/last');
    expect(await readTargets(aside)).toEqual(['/v1/killed']);
    recoverCassette(`${aside}-2`);
    expect(await readTargets(`${aside}-2`)).toEqual(['/v1/again']);
    expect(await readTargets(dir)).toEqual(['/v1/last']);
  },
);

test('a recorder that is killed before its first request leaves nothing to keep', async () => {
  const dir = join(root, 'nothing');
  await recordAndKill(dir, null);
  await record(dir, '/after');
  expect([existsSync(`${dir}.interrupted`), warnings]).toEqual([false, []]);
});
