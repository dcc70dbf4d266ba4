// Collects the catalogue from the modules of the families by the names of their files: a new module needs no
// registration.
import { isScenario } from '../drive/scenario/scenario.ts';
import { readExpectedEvidence } from '../drive/scenario/shown-by-scenario.ts';
import { acceptanceExclusions, acceptanceRequirements } from '../judge/acceptance/acceptance.ts';
import { markAsClientSide } from '../judge/client/client-side.ts';
import { requestRequirements } from '../judge/client/request-evaluator.ts';
import { behaviourRequirements } from '../judge/evidence/behaviour-requirements.ts';
import { probeRequirements } from '../judge/probe/probe-evaluator.ts';
import { subjectOf } from '../judge/probe/request-constraints.ts';
import type { Catalogue, ExpectedEvidence, InfeasibleRequirement } from '../judge/requirements/catalogue.ts';
import { isChoice, isRequirement } from '../judge/requirements/define.ts';
import type { Exclusion, JudgedSide } from '../judge/requirements/requirement.ts';
import { isClientRequirement } from '../judge/requirements/selection.ts';
import { schemaRequirements } from '../judge/schema/response-evaluator.ts';
import { importModules } from '../schemas/import-modules.ts';
import { extensions, operation, perSpecification } from '../schemas/index.ts';
import { isObject } from '../schemas/json.ts';
import { getOrMake } from '../schemas/maps.ts';
import { readFamilyData } from './data/family-data.ts';
import { excludeInfeasible } from './data/infeasible.ts';
import { variantOf } from './generate/probes.ts';
import { isBaseRequest } from './generate/requests.ts';
import { readEquivalentMutants } from './rows/equivalents.ts';
import type { NamedEvidence } from './rows/given.ts';
import { compileChoices, compileRequirements } from './rows/rows.ts';
import type { EquivalentMutant } from './vocabulary/types.ts';

const GATHER: Readonly<Record<JudgedSide, () => Promise<Catalogue>>> = {
  server: gatherServerSide,
  client: gatherClientSide,
  both: async () => joinCatalogues(await catalogue('server'), await catalogue('client')),
};

/** The catalogue of each side is gathered once for each set of extensions. */
const catalogues = perSpecification(() => new Map<JudgedSide, Promise<Catalogue>>());

export function catalogue(side: JudgedSide = 'server'): Promise<Catalogue> {
  return getOrMake(catalogues(), side, GATHER[side]);
}

/** The client side has no scenarios: it judges the traffic of other programs, not that of the suite itself. */
async function gatherClientSide(): Promise<Catalogue> {
  const definitions = [
    ...(await exportsOf(/\.client\.[jt]s$/)).flat(),
    ...(await rowDefinitions()).filter(({ id }) => isClientRequirement(id)),
  ];
  return {
    requirementSets: [
      requestRequirements(),
      markAsClientSide(behaviourRequirements(definitions.filter(isRequirement))),
    ],
    choices: definitions.filter(isChoice),
    exclusions: readFamilyData().exclusions.filter(({ id }) => isClientRequirement(id)),
    // Clients can send everything that these requirements judge.
    infeasible: [],
    equivalentMutants: [],
    scenarios: [],
  };
}

/** Everything but requirements, choices and exclusions comes from the server side alone. */
function joinCatalogues(server: Catalogue, client: Catalogue): Catalogue {
  // The ids do not collide, because those of clients have a prefix of their own.
  return {
    ...server,
    requirementSets: [...server.requirementSets, ...client.requirementSets],
    choices: [...server.choices, ...client.choices],
    exclusions: [...server.exclusions, ...client.exclusions],
  };
}

async function gatherServerSide(): Promise<Catalogue> {
  const fromExtensions = extensions().flatMap(({ exports }) => exports);
  const definitions = [
    ...(await exportsOf(/\.requirements\.[jt]s$/)).flat(),
    ...(await rowDefinitions()).filter(({ id }) => !isClientRequirement(id)),
    ...fromExtensions,
  ];
  const infeasible = (await exportsOf(/^exclusions\.[jt]s$/)).flat().filter(isInfeasible);
  const data = readFamilyData();
  const { sets: requirementSets, excluded } = excludeInfeasible(
    [...data.infeasible, ...infeasible],
    [
      schemaRequirements(),
      probeRequirements(),
      acceptanceRequirements(),
      behaviourRequirements(definitions.filter(isRequirement)),
    ],
  );
  return {
    requirementSets,
    choices: definitions.filter(isChoice),
    exclusions: [
      ...fromExtensions.filter(isExclusion),
      ...data.exclusions.filter(({ id }) => !isClientRequirement(id)),
      ...excluded,
      ...acceptanceExclusions(),
    ],
    infeasible: [...(await exportsOf(/^base\.[jt]s$/)).flat(), ...fromExtensions].flatMap(infeasibleProbes),
    exceptions: data.exceptions,
    equivalentMutants: [
      ...readEquivalentMutants(),
      ...(await exportsOf(/^equivalent-mutants\.[jt]s$/)).flat(),
      ...fromExtensions,
    ].filter(isEquivalentMutant),
    scenarios: [...(await exportsOf(/\.suite\.[jt]s$/)).flat(), ...fromExtensions].filter(isScenario),
    expectedEvidence: expectedEvidence(),
    freeEvidence: data.freeEvidence,
    stateMachines: data.stateMachines,
  };
}

async function rowDefinitions() {
  const evidenceByName: NamedEvidence = Object.assign({}, ...(await exportsOf(/^evidence\.[jt]s$/)));
  return [...compileRequirements(evidenceByName), ...compileChoices(evidenceByName)];
}

/** Omits the `others` of the file, which only the reference is known to show. */
function expectedEvidence(): ExpectedEvidence {
  const { version, groups } = readExpectedEvidence();
  const scenarios = groups.flatMap((group) => group.shows.map((id) => [id, group.scenarios] as const));
  return { version, scenarios: new Map(scenarios) };
}

async function exportsOf(file: RegExp): Promise<unknown[]> {
  const modules = await importModules('suites', file);
  return [...modules.values()].flatMap((module) => Object.values(module));
}

function infeasibleProbes(value: unknown): readonly InfeasibleRequirement[] {
  if (!isBaseRequest(value)) return [];
  const subject = subjectOf(operation(value.operation), variantOf(value));
  return Object.entries(value.leave ?? {}).map(([glob, reason]) => ({ id: `${subject}:${glob}`, reason }));
}

// Exports are plain objects, so their members tell the kinds apart.
function isInfeasible(value: unknown): value is InfeasibleRequirement {
  return isObject(value) && 'reason' in value && 'id' in value;
}

function isExclusion(value: unknown): value is Exclusion {
  return isObject(value) && 'reason' in value && 'says' in value && 'spec' in value;
}

function isEquivalentMutant(value: unknown): value is EquivalentMutant {
  return isObject(value) && 'name' in value && 'apply' in value;
}
