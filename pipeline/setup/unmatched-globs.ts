import type { Settings } from '../../drive/configuration/configuration.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import { requirementsOf } from '../../judge/requirements/catalogue.ts';
import type { JudgedSide } from '../../judge/requirements/requirement.ts';
import { suggestNames } from '../../schemas/nearest-names.ts';
import { catalogue } from '../../suites/index.ts';
import { UsageError } from './usage-error.ts';

/**
 * Rejects with UsageError for a glob that matches nothing: a typo would change what is judged. For the client side,
 * globs may also name what is judged of services, because a configuration file may serve both.
 */
export async function refuseUnmatchedGlobs(
  settings: Pick<Settings, 'only' | 'skip' | 'scenario'>,
  side: JudgedSide = 'server',
) {
  const { only, skip, scenario } = settings;
  if ([only, skip, scenario].every(({ length }) => length === 0)) return;
  const judged = await catalogue(side === 'server' ? 'server' : 'both');
  const ids = [...requirementsOf(judged).keys(), ...judged.choices.map(({ id }) => id)];
  const listCommand = side === 'client' ? 'assay list --side client' : 'assay list';
  const requirements = { kind: 'requirement or choice', listCommand, names: ids };
  checkGlobs('--only', only, requirements);
  checkGlobs('--skip', skip, requirements);
  const { scenarios } = await catalogue();
  const names = scenarios.map(({ name }) => name);
  checkGlobs('--scenario', scenario, { kind: 'scenario', listCommand: 'assay run --dry-run', names });
}

interface GlobTargets {
  readonly kind: string;
  readonly listCommand: string;
  readonly names: readonly string[];
}

/** Each glob is checked on its own: one that matches does not make up for a misspelt one. */
function checkGlobs(flag: string, globs: readonly string[], { kind, listCommand, names }: GlobTargets): void {
  const glob = globs.find((one) => !names.some((name) => matchesGlob(one, name)));
  if (glob === undefined) return;
  throw new UsageError(
    `${flag} ${glob} matches no ${kind}${suggestNames(glob, names)}. ${listCommand} prints all of them.`,
  );
}
