// Reads which scenarios show which requirements from `suites/expected-evidence.json`, which `npm run generate:evidence`
// writes from runs on the reference.
import { createRequire } from 'node:module';
import { getOrMake } from '../../schemas/maps.ts';

export interface ExpectedEvidenceFile {
  readonly format: 2;
  readonly version: string;
  /** MUSTs that the scenarios show on every conforming target. */
  readonly groups: readonly EvidenceGroup[];
  /** Requirements and choices that the scenarios show on the reference; other targets or models may differ. */
  readonly others: readonly EvidenceGroup[];
}

export interface EvidenceGroup {
  readonly scenarios: readonly string[];
  readonly shows: readonly string[];
}

const require = createRequire(import.meta.url);

export function readExpectedEvidence(): ExpectedEvidenceFile {
  return require('#suites/expected-evidence.json') as ExpectedEvidenceFile; // as: a test validates it against its schema
}

let cachedIds: ReadonlyMap<string, ReadonlySet<string>> | null = null;

/** The requirements and choices that the scenario shows; null if the file does not name the scenario. */
export function shownByScenario(name: string): ReadonlySet<string> | null {
  cachedIds ??= groupIdsByScenario(readExpectedEvidence());
  return cachedIds.get(name) ?? null;
}

export function groupIdsByScenario(
  file: Pick<ExpectedEvidenceFile, 'groups' | 'others'>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const idsByName = new Map<string, Set<string>>();
  for (const { scenarios, shows } of [...file.groups, ...file.others]) {
    for (const name of scenarios) {
      const ids = getOrMake(idsByName, name, () => new Set());
      for (const id of shows) ids.add(id);
    }
  }
  return idsByName;
}
