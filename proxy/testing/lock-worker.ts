// Two who find the same stale lock at the same moment: a worker thread that tries as soon as the others are there.
import { parentPort, workerData } from 'node:worker_threads';
import { CassetteError } from '../../exchange/cassette/error.ts';
import { lock } from '../../exchange/cassette/lock.ts';

const { dirs, gate, count } = workerData as {
  // as: what proxy/lock.test.ts gives
  readonly dirs: readonly string[];
  readonly gate: Int32Array;
  readonly count: number;
};
const won: string[] = [];
for (const [round, dir] of dirs.entries()) {
  Atomics.add(gate, 0, 1);
  while (Atomics.load(gate, 0) < (round + 1) * count);
  try {
    lock(dir);
    won.push(dir);
  } catch (error) {
    if (!(error instanceof CassetteError) || error.kind !== 'in-use') throw error;
  }
}
parentPort?.postMessage(won);
