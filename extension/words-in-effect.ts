// The words of suites as the running assay has them. A suite may find another copy of the package than the one that runs it (`npx`
// keeps its own): what that copy defines would not be recognised, and it would not know the operations of the extension.
import type * as Words from './words.ts';

/** In the global symbol table, so that every copy of the package finds it. */
const KEY = Symbol.for('assay.suite');

/** Makes these words those of every copy of `assay/suite`. */
export async function provideWords(): Promise<void> {
  Reflect.set(globalThis, KEY, await import('./words.ts'));
}

/** The words of the running assay; those of this copy where no assay runs, as in a test of a suite by itself. */
export async function wordsInEffect(): Promise<typeof Words> {
  const provided: unknown = Reflect.get(globalThis, KEY);
  return (provided ?? (await import('./words.ts'))) as typeof Words; // as: only `provideWords` sets it
}
