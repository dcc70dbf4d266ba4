// Suites run in the process of assay, so one that ended it, with 0 say, would look like a verdict.
import { pathToFileURL } from 'node:url';

/** Suites by what stands for them in a stack: a path or a URL. */
const suites = new Map<string, string>();
let isInstalled = false;

/** From now on an error takes the place of `process.exit` where code of this suite, or code that it calls, asks for it. */
export function refuseExitOf(path: string): void {
  suites.set(path, path);
  suites.set(pathToFileURL(path).href, path);
  if (isInstalled) return;
  isInstalled = true;
  const { exit } = process;
  process.exit = (code) => {
    const suite = suiteInStack();
    if (suite !== null) throw new Error(`${suite} calls process.exit, which ends the run without a verdict`);
    return exit.call(process, code);
  };
}

/** The suite whose code is under way; null for code of assay. */
function suiteInStack(): string | null {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = stackTraceLimit;
  for (const [shown, path] of suites) if (stack.includes(shown)) return path;
  return null;
}
