import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isScenario, type Scenario } from './scenario.ts';

/** Where the families lie, as source or compiled. */
export const suitesFolder = fileURLToPath(new URL('../../suites', import.meta.url));

/** Every scenario that a `*.suite.ts|js` below a folder exports, alone or in a list, sorted by name. Throws when two share a name. */
export async function discoverScenarios(folder: string): Promise<readonly Scenario[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.suite\.[jt]s$/.test(file),
  );
  const modules = await Promise.all(
    // as: whatever a suite file exports; isScenario looks at each value
    files.map((file) => import(pathToFileURL(join(folder, file)).href) as Promise<Record<string, unknown>>),
  );
  const scenarios = modules
    .flatMap((module) => Object.values(module))
    .flat()
    .filter(isScenario)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  // Notes, `--scenario` and the ledger identify scenarios by name alone.
  const twice = scenarios.find((one, i) => one.name === scenarios[i + 1]?.name);
  if (twice !== undefined) throw new Error(`Two scenarios are named ${twice.name}.`);
  return scenarios;
}
