import type { Settings } from '../drive/configuration/configuration.ts';
import { editDistance } from '../drive/configuration/option-readers.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { matchesGlob } from '../judge/requirements/glob.ts';
import { catalogue } from '../suites/index.ts';
import { UsageError } from './usage-error.ts';

const NEAREST = 3;

/** A glob that names nothing is a slip: something else would be judged, and paid for, than is meant. Throws UsageError with the nearest names. */
export async function refuseUnmatchedGlobs({
  only,
  skip,
  scenario,
}: Pick<Settings, 'only' | 'skip' | 'scenario'>): Promise<void> {
  if ([only, skip, scenario].every(({ length }) => length === 0)) return;
  const suites = await catalogue();
  const ids = [...requirementsOf(suites).keys(), ...suites.choices.map(({ id }) => id)];
  refuse('--only', 'requirement or choice', 'assay list', only, ids);
  refuse('--skip', 'requirement or choice', 'assay list', skip, ids);
  const names = suites.scenarios.map(({ name }) => name);
  refuse('--scenario', 'scenario', 'assay run --dry-run', scenario, names);
}

function refuse(
  flag: string,
  what: string,
  lister: string,
  globs: readonly string[],
  names: readonly string[],
): void {
  const glob = globs.find((one) => !names.some((name) => matchesGlob(one, name)));
  if (glob === undefined) return;
  throw new UsageError(
    `${flag} ${glob} matches no ${what}; ${nearestIds(glob, names)}. ${lister} prints all of them.`,
  );
}

/** `the nearest are a, b, c`: those that hold the words first. */
export function nearestIds(glob: string, names: readonly string[]): string {
  const plain = glob.replaceAll('*', '');
  const near = names
    .map((name) => ({
      name,
      far: name.includes(plain) ? 0 : editDistance(plain, name.slice(0, plain.length + 4)),
    }))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, NEAREST)
    .map(({ name }) => name);
  return `the nearest are ${near.join(', ')}`;
}
