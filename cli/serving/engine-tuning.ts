import { setFlagsFromString } from 'node:v8';
import { UsageError } from '../../pipeline/setup/usage-error.ts';

/** Newest V8 (Node 20) with the flags; later ones have an intermediate compiler, which makes them unnecessary. */
const NEWEST = 11;

/**
 * Rejects runtimes whose HTTP client cannot send the exact requests of a run: Bun replaces undici by its own client, and Deno
 * never exits after using it. Throws UsageError.
 */
export function requireNode(command: string, versions: NodeJS.ProcessVersions = process.versions): void {
  const other = ['bun', 'deno'].find((name) => name in versions);
  if (other !== undefined)
    throw new UsageError(
      `assay ${command} needs Node 20.19 or later and does not work on ${other}. Run it with node.`,
    );
}

/**
 * Makes V8 optimise functions later than usual, and inline less. A run takes seconds on machines with few cores; without this,
 * a fifth of them went into machine code that was hardly used.
 */
export function tuneForShortRun(): void {
  if (Number.parseInt(process.versions.v8, 10) > NEWEST) return;
  setFlagsFromString('--interrupt-budget=200000');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}

/**
 * Makes V8 collect garbage before the heap has grown by about a sixth, which costs some speed: when much traffic is judged,
 * nearly all of the heap is garbage.
 */
export function tuneForSmallHeap(): void {
  setFlagsFromString('--heap-growing-percent=15');
}
