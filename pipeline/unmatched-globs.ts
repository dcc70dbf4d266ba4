import type { Settings } from '../drive/configuration/configuration.ts';
import { editDistance } from '../drive/configuration/option-readers.ts';
import { requirementsOf } from '../judge/requirements/catalogue.ts';
import { matchesGlob } from '../judge/requirements/glob.ts';
import { catalogue } from '../suites/index.ts';
import { UsageError } from './usage-error.ts';

/** Number of names in the phrase. */
const NEAREST = 3;

/** Rejects globs that match nothing, which would judge, and cost, something other than intended. Throws UsageError with the nearest names. */
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

/** Everything that a glob can match. */
interface GlobUniverse {
  /** Noun for the message. */
  readonly kind: string;
  /** The command that prints all names. */
  readonly lister: string;
  readonly names: readonly string[];
}

/**
 * Throws for the first glob that matches no name. Filters are alternatives, so one good glob does not make up
 * for a misspelt one.
 */
function refuse(flag: string, globs: readonly string[], { kind, lister, names }: GlobUniverse): void {
  const glob = globs.find((one) => !names.some((name) => matchesGlob(one, name)));
  if (glob === undefined) return;
  throw new UsageError(
    `${flag} ${glob} matches no ${kind}; ${nearestIds(glob, names)}. ${lister} prints all of them.`,
  );
}

/** The phrase `the nearest are a, b, c`: names that contain the text first, then those at the smallest edit distance. */
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
