import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Paths of suites, by each location that a stack may show: as given or without symbolic links, as path or file URL. */
const guardedSuites = new Map<string, string>();
let isExitGuarded = false;

/** Makes `process.exit` throw if the suite is in the call stack: an exit with code 0 would look like a pass. */
export function forbidExitOf(path: string): void {
  for (const location of [path, realpathSync(path)])
    guardedSuites.set(location, path).set(pathToFileURL(location).href, path);
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
