import { setFlagsFromString } from 'node:v8';
import { UsageError } from '../../pipeline/setup/usage-error.ts';

/** Newest V8 version (Node 20) that needs the flags; later ones have an intermediate compiler. */
const NEWEST = 11;

/** Throws UsageError on Bun, which replaces undici, and on Deno, which never exits after using it. */
export function requireNode(command: string, versions: NodeJS.ProcessVersions = process.versions): void {
  const other = ['bun', 'deno'].find((name) => name in versions);
  if (other !== undefined)
    throw new UsageError(
      `assay ${command} needs Node 20.19 or later and does not work on ${other}. Run it with node.`,
    );
}

/** Makes V8 optimise later and inline less: optimising would take a fifth of the CPU of a short run. */
export function tuneForShortRun(): void {
  optimiseLater(200_000);
}

/**
 * Makes V8 collect garbage once the heap has grown by about a sixth, at some cost in speed, because nearly all of the heap is
 * garbage when much traffic is judged. The space for new objects keeps its size, which saves an eighth of the memory of 70,000
 * exchanges at no measurable cost. Machine code for thousands of functions takes a seventh of the CPU of 20,000 exchanges, and
 * a twelfth of the memory of 100,000.
 */
export function tuneForLongCheck(): void {
  setFlagsFromString('--heap-growing-percent=15');
  setFlagsFromString('--semi-space-growth-factor=1');
  optimiseLater(400_000);
}

/** V8 optimises a function after executing `budget` bytes of its code. */
function optimiseLater(budget: number): void {
  if (Number.parseInt(process.versions.v8, 10) > NEWEST) return;
  setFlagsFromString(`--interrupt-budget=${budget}`);
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}
