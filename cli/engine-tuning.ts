import { setFlagsFromString } from 'node:v8';
import { UsageError } from '../pipeline/usage-error.ts';

/** V8 up to this one, of Node 20, knows the flags; later ones have a quicker compiler before the slow one. */
const NEWEST = 11;

/**
 * Refuses a runtime whose HTTP client cannot send the exact requests that driving a target takes: Bun puts one of its own in the
 * place of undici, and Deno never ends with it. Throws UsageError.
 */
export function requireNode(command: string, versions: NodeJS.ProcessVersions = process.versions): void {
  const other = ['bun', 'deno'].find((name) => name in versions);
  if (other !== undefined)
    throw new UsageError(
      `assay ${command} needs Node 20.19 or later and does not work on ${other}. Run it with node.`,
    );
}

/**
 * Has the engine optimise only what is hot for longer than usual, and inline less where it does. A run is over after
 * seconds, on machines with few cores: of its time a fifth went into machine code that was hardly used.
 */
export function tuneForShortRun(): void {
  if (Number.parseInt(process.versions.v8, 10) > NEWEST) return;
  setFlagsFromString('--interrupt-budget=200000');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}

/**
 * Has the engine collect garbage before the heap has grown by a sixth or so, at the price of some speed: where
 * much is judged, nearly all of it is garbage.
 */
export function tuneForSmallHeap(): void {
  setFlagsFromString('--heap-growing-percent=15');
}
