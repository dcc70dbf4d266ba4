// A worker thread that tries to acquire a stale lock at the same moment as others.
import { parentPort, workerData } from 'node:worker_threads';
import { CassetteError } from '../../exchange/cassette/folder.ts';
import { lockCassette } from '../../exchange/cassette/lock.ts';

const { dirs, gate, count } = workerData as {
  // as: what proxy/record/lock.crash.test.ts gives
  readonly dirs: readonly string[];
  readonly gate: Int32Array;
  readonly count: number;
};
/** Maximum time to wait for the other workers, in milliseconds: one of them may have crashed. */
const PATIENCE = 120_000;
const won: string[] = [];
for (const [round, dir] of dirs.entries()) {
  meet((round + 1) * count);
  try {
    lockCassette(dir);
    won.push(dir);
  } catch (error) {
    if (!(error instanceof CassetteError) || error.kind !== 'in-use') throw error;
  }
}
parentPort?.postMessage(won);

/**
 * Returns once this many workers have arrived, to all at about the same moment, so it spins briefly before it sleeps.
 */
function meet(all: number): void {
  Atomics.add(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (let turn = 0; turn < 100_000 && Atomics.load(gate, 0) < all; turn++);
  for (let there = Atomics.load(gate, 0); there < all; there = Atomics.load(gate, 0))
    if (Atomics.wait(gate, 0, there, PATIENCE) === 'timed-out') throw new Error('The others do not come.');
}
