// Which evasions a change concerns: those of the operations whose suites or schemas have changed.
import { type Operation, operations } from '../../schemas/index.ts';
import { isConcernedBy } from '../changed.ts';

/** Code that decides of no verdict on a service, though it is in a folder of those that do. */
const ASIDE =
  /\.test\.ts$|\.md$|^judge\/(client|testing|dialects)\/|^proof\/|^suites\/(client|[^/]+\/equivalent-mutants)|exclusions\.json$|ledger\.json$/;

/** Code of the proof itself. */
const PROOF = /^scripts\/evasion\//;

/** Ids of the operations whose evasions a change of these files concerns; empty where it concerns none. */
export function operationsConcernedBy(files: readonly string[]): ReadonlySet<string> {
  const code = files.filter((file) => !ASIDE.test(file));
  const isConcerned = isConcernedBy(code);
  const isAll = code.some((file) => PROOF.test(file)) || isConcerned('any:constraint');
  return new Set(
    operations()
      .filter((operation) => isAll || folders(operation).some((folder) => isConcerned(`${folder}.`)))
      .map(({ id }) => id),
  );
}

/** The folders of suites that an operation may be in: that of its family, or the one above two versions of it. */
function folders({ variants }: Operation): readonly string[] {
  return variants.flatMap(({ family }) => [
    family,
    family.replace(/-v\d$/, ''),
    family.replace(/-files$/, 's'),
  ]);
}
