import { importModules } from '../../schemas/import-modules.ts';
import { extensions } from '../../schemas/index.ts';
import { isScenario, type Scenario } from './scenario.ts';

/** Where the families lie, below the root of the sources. */
export const suitesFolder = 'suites';

/**
 * Every scenario that a `*.suite.ts|js` below a folder exports, alone or in a list, and those of the extensions in effect, sorted by
 * name. Throws when two share a name.
 */
export async function discoverScenarios(folder: string): Promise<readonly Scenario[]> {
  const modules = await importModules(folder, /\.suite\.[jt]s$/);
  const exported = [...modules.values()].flatMap((module) => Object.values(module));
  const scenarios = [...exported, ...extensions().map(({ exports }) => exports)]
    .flat()
    .filter(isScenario)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  // Notes, `--scenario` and the ledger identify scenarios by name alone.
  const twice = scenarios.find((one, i) => one.name === scenarios[i + 1]?.name);
  if (twice !== undefined) throw new Error(`Two scenarios are named ${twice.name}.`);
  return scenarios;
}
