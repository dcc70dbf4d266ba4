// Finds the suite functions of the running assay. A suite may import another copy of the package than the one
// that runs it (`npx` keeps its own); definitions of that copy would not be recognised, and it would not know
// the operations of the extension.
import type * as SuiteFunctions from './suite-functions.ts';

/** Registered globally, so that every copy of the package finds it. */
const KEY = Symbol.for('assay.suite');

export async function publishSuiteFunctions(): Promise<void> {
  Reflect.set(globalThis, KEY, await import('./suite-functions.ts'));
}

/** The functions of the running assay, or of this copy if none runs, as in a test of a suite by itself. */
export async function runningSuiteFunctions(): Promise<typeof SuiteFunctions> {
  const provided: unknown = Reflect.get(globalThis, KEY);
  // as: only `publishSuiteFunctions` sets it
  return (provided ?? (await import('./suite-functions.ts'))) as typeof SuiteFunctions;
}
