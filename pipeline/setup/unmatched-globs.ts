import type { Settings } from '../../drive/configuration/configuration.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import { requirementsOf } from '../../judge/requirements/catalogue.ts';
import { nearestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { UsageError } from './usage-error.ts';

/** Throws UsageError, with the nearest names, for a glob that matches nothing: a typo would judge something else. */
export async function refuseUnmatchedGlobs({
  only,
  skip,
  scenario,
}: Pick<Settings, 'only' | 'skip' | 'scenario'>): Promise<void> {
  if ([only, skip, scenario].every(({ length }) => length === 0)) return;
  const suites = await catalogue();
  const ids = [...requirementsOf(suites).keys(), ...suites.choices.map(({ id }) => id)];
  const requirements = { kind: 'requirement or choice', lister: 'assay list', names: ids };
  refuse('--only', only, requirements);
  refuse('--skip', skip, requirements);
  const names = suites.scenarios.map(({ name }) => name);
  refuse('--scenario', scenario, { kind: 'scenario', lister: 'assay run --dry-run', names });
}

interface GlobUniverse {
  readonly kind: string;
  readonly lister: string;
  readonly names: readonly string[];
}

/** Each glob is checked on its own: one that matches does not make up for a misspelt one. */
function refuse(flag: string, globs: readonly string[], { kind, lister, names }: GlobUniverse): void {
  const glob = globs.find((one) => !names.some((name) => matchesGlob(one, name)));
  if (glob === undefined) return;
  throw new UsageError(
    `${flag} ${glob} matches no ${kind}${nearestNames(glob, names)}. ${lister} prints all of them.`,
  );
}
