import { parentPort, workerData } from 'node:worker_threads';
import { CassetteError } from '../../exchange/cassette/cassette-error.ts';
import { lockCassette } from '../../exchange/cassette/lock.ts';

const { dirs, gate, count } = workerData as {
  // as: proxy/record/lock.crash.test.ts passes these
  readonly dirs: readonly string[];
  readonly gate: Int32Array;
  readonly count: number;
};
/** Maximum time until the next worker arrives: a missing one may have crashed. */
const MAX_WAIT_MS = 120_000;
const lockedDirs: string[] = [];
for (const [round, dir] of dirs.entries()) {
  waitForArrivals((round + 1) * count);
  try {
    lockCassette(dir);
    lockedDirs.push(dir);
  } catch (error) {
    if (!(error instanceof CassetteError) || error.kind !== 'in-use') throw error;
  }
}
parentPort?.postMessage(lockedDirs);

/** Returns after this many arrivals in all rounds. Spins before it sleeps, so that all return almost at once. */
function waitForArrivals(expected: number): void {
  Atomics.add(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (let turn = 0; turn < 100_000 && Atomics.load(gate, 0) < expected; turn++);
  for (let arrived = Atomics.load(gate, 0); arrived < expected; arrived = Atomics.load(gate, 0))
    if (Atomics.wait(gate, 0, arrived, MAX_WAIT_MS) === 'timed-out')
      throw new Error(
        `There were only ${arrived} of ${expected} arrivals, and none in the last ${MAX_WAIT_MS} ms.`,
      );
}
