// Finds the suite functions of the running assay. A suite may import another copy of the package than the one
// that runs it (`npx` keeps its own); definitions of that copy would not be recognised, and it would not know
// the operations of the extension.
import type * as Words from './words.ts';

/** Registered globally, so that every copy of the package finds it. */
const KEY = Symbol.for('assay.suite');

export async function provideWords(): Promise<void> {
  Reflect.set(globalThis, KEY, await import('./words.ts'));
}

/** The functions of the running assay; those of this copy if no assay runs, as in a test of a suite by itself. */
export async function wordsInEffect(): Promise<typeof Words> {
  const provided: unknown = Reflect.get(globalThis, KEY);
  return (provided ?? (await import('./words.ts'))) as typeof Words; // as: only `provideWords` sets it
}
