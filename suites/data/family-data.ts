import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type {
  EquivalentMutantException,
  FreeEvidence,
  InfeasibleRequirement,
  StateMachine,
} from '../../judge/requirements/catalogue.ts';
import type { Exclusion } from '../../judge/requirements/requirement.ts';

interface ExclusionsFile {
  readonly exclusions?: readonly Exclusion[];
  readonly infeasible?: readonly InfeasibleRequirement[];
  readonly freeEvidence?: readonly FreeEvidence[];
  readonly exceptions?: readonly EquivalentMutantException[];
}

/** The folder `suites/` with the JSON files. A package import locates it: compiled modules are in another folder. */
export const SUITES = dirname(createRequire(import.meta.url).resolve('#suites/expected-evidence.json'));

export function readFamilyData() {
  const files = findDataFiles('exclusions.json').map((path): ExclusionsFile => readJson(path));
  return {
    exclusions: files.flatMap(({ exclusions = [] }) => exclusions),
    infeasible: files.flatMap(({ infeasible = [] }) => infeasible),
    freeEvidence: files.flatMap(({ freeEvidence = [] }) => freeEvidence),
    exceptions: files.flatMap(({ exceptions = [] }) => exceptions),
    stateMachines: findDataFiles('states.json').map((path): StateMachine => {
      const { $schema: _, ...machine }: StateMachine & { readonly $schema: string } = readJson(path);
      return machine;
    }),
  };
}

let paths: readonly string[] | undefined;

export function findDataFiles(name: string): readonly string[] {
  paths ??= readdirSync(SUITES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .map((path) => join(SUITES, path))
    .sort();
  return paths.filter((path) => basename(path) === name);
}

/** A test validates the files against their schemas. */
function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8'));
}
