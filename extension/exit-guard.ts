import { pathToFileURL } from 'node:url';

/** Paths of suites, by the path and by the file URL, because either may occur in a stack. */
const guardedSuites = new Map<string, string>();
let isExitGuarded = false;

/** Makes `process.exit` throw if the suite is in the call stack: an exit with code 0 would look like a pass. */
export function forbidExitOf(path: string): void {
  guardedSuites.set(path, path);
  guardedSuites.set(pathToFileURL(path).href, path);
  if (isExitGuarded) return;
  isExitGuarded = true;
  const { exit } = process;
  process.exit = (code) => {
    const suite = suiteInStack();
    if (suite !== null)
      throw new Error(
        `${suite} calls process.exit, which would end the run without a verdict; throw an error instead`,
      );
    return exit.call(process, code);
  };
}

function suiteInStack(): string | null {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = stackTraceLimit;
  for (const [location, path] of guardedSuites) if (stack.includes(location)) return path;
  return null;
}
