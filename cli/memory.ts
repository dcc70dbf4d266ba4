import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that this thread holds, waste included. */
export function held(): number {
  const { used_heap_size: heap, external_memory: outside } = getHeapStatistics();
  return heap + outside;
}

/** Gives what clears away all waste of this thread, at once. */
export function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void; // as: what the flag exposes
}
