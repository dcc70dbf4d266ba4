import { type Operation, operations } from '../../schemas/index.ts';
import { makeAffectedFilter } from '../affected-requirements.ts';

/** Files that affect no verdict on an evasion, although some are next to code that does. */
const WITHOUT_EFFECT =
  /\.test\.ts$|\.md$|^judge\/(client|testing|dialects)\/|^proof\/(?!mutations\/)|^suites\/(client|[^/]+\/equivalent-mutants)|exclusions\.json$|ledger\.json$/;

const EVASION_SOURCES = /^(scripts\/evasion|proof\/mutations)\//;

export function affectedOperations(files: readonly string[]): ReadonlySet<string> {
  const code = files.filter((file) => !WITHOUT_EFFECT.test(file));
  const isAffected = makeAffectedFilter(code);
  // `any:constraint` has the form of the ids of schema requirements, all of which a changed schema affects.
  const isAll = code.some((file) => EVASION_SOURCES.test(file)) || isAffected('any:constraint');
  return new Set(
    operations()
      .filter((operation) => isAll || suiteFolders(operation).some((folder) => isAffected(`${folder}.`)))
      .map(({ id }) => id),
  );
}

/** Folders of an operation's suites: that of its family, and a shared one, such as `messages` for `message-files`. */
function suiteFolders({ variants }: Operation): readonly string[] {
  return variants.flatMap(({ family }) => [
    family,
    family.replace(/-v\d$/, ''),
    family.replace(/-files$/, 's'),
  ]);
}
