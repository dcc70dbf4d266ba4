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
  const advice = `${side === 'client' ? 'assay list --side client' : 'assay list'} prints all of them`;
  const requirements = { kind: 'requirement or choice', advice, names: ids };
  checkGlobs('--only', only, requirements);
  checkGlobs('--skip', skip, requirements);
  const { scenarios } = await catalogue();
  const names = scenarios.map(({ name }) => name);
  checkGlobs('--scenario', scenario, {
    kind: 'scenario',
    advice: 'assay run --dry-run prints those that would run',
    names,
  });
}

interface GlobTargets {
  readonly kind: string;
  readonly advice: string;
  readonly names: readonly string[];
}

/** Each glob is checked on its own: one that matches does not make up for a misspelt one. */
function checkGlobs(flag: string, globs: readonly string[], { kind, advice, names }: GlobTargets): void {
  const glob = globs.find((one) => !names.some((name) => matchesGlob(one, name)));
  if (glob === undefined) return;
  throw new UsageError(`${flag} ${glob} matches no ${kind}${suggestNames(glob, names)}. ${advice}.`);
}
