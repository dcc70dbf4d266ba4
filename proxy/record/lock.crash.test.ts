import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockCassette, lockHolder } from '../../exchange/cassette/lock.ts';
import { bundle } from '../testing/bundle.ts';

const ROUNDS = 40;
const WORKERS = 3;

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-lock-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each(['free', 'stale'])(
  'only one of several workers that lock a %s cassette at once succeeds',
  async (state) => {
    const dirs = Array.from({ length: ROUNDS }, (_, n) => join(root, `${state}-${n}`));
    for (const dir of dirs) {
      mkdirSync(dir);
      if (state === 'stale') writeFileSync(join(dir, 'lock'), '999999999 1\n');
    }
    mkdirSync(join(root, state));
    const program = await bundle('proxy/testing/lock-worker.ts', join(root, state));
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { dirs, gate, count: WORKERS };
    const workers = Array.from({ length: WORKERS }, () => new Worker(program, { workerData }));
    try {
      const wins = await Promise.all(workers.map(foldersLockedBy));
      expect(wins.flat().toSorted()).toEqual(dirs.toSorted());
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
    for (const dir of dirs) expect(readdirSync(dir)).toEqual(['lock']);
  },
);

function foldersLockedBy(worker: Worker): Promise<string[]> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
}

test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])(
  'on a file system that responds to links with %s, a cassette is locked without links',
  (code) => {
    const dir = join(root, code);
    mkdirSync(dir);
    const { linkSync } = fs;
    fs.linkSync = () => {
      throw Object.assign(new Error(`${code}: link`), { code });
    };
    syncBuiltinESMExports();
    try {
      const unlock = lockCassette(dir);
      expect(lockHolder(dir)).toBe(process.pid);
      expect(() => lockCassette(dir)).toThrow(`recorded by process ${process.pid}`);
      unlock();
      writeFileSync(join(dir, 'lock'), '999999999 1\n');
      lockCassette(dir)();
      expect(readdirSync(dir)).toEqual([]);
    } finally {
      fs.linkSync = linkSync;
      syncBuiltinESMExports();
    }
  },
);
