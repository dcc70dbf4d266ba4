// The scenarios of all `scenarios.json` files: bodies for one operation, steps that send requests in order, lists, and
// lifecycles of objects; and their base requests. `suites/data/scenarios.schema.json` describes the files.
import { readFileSync } from 'node:fs';
import type { ModelRole, RoleName } from '../../drive/scenario/model-roles.ts';
import { type Scenario, scenario } from '../../drive/scenario/scenario.ts';
import { type CostClass, type FamilyName, operation as operationOf } from '../../schemas/index.ts';
import { findDataFiles } from '../data/family-data.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';
import { lifecycleScenario } from './lifecycle.ts';
import { type ListPlan, listScenarios } from './list-scenarios.ts';
import { type BaseRequest, baseRequest, type RuleCase, renewAfterPairs } from './requests.ts';
import { createdResource } from './resources.ts';
import { type BodiesRow, sendBodies } from './send-bodies.ts';
import { type Materials, pathValues, type Step, type StepLookup, StepRunner } from './step-runner.ts';

interface StepsRow {
  readonly why?: string;
  readonly operations: readonly string[];
  readonly cost?: readonly CostClass[];
  readonly roles?: readonly RoleName[];
  readonly optionalRoles?: readonly RoleName[];
  readonly family?: FamilyName;
  readonly steps: readonly Step[];
}

interface PagesRow extends Omit<ListPlan, 'owner' | 'element'> {
  readonly owner?: readonly Step[];
  readonly element?: { readonly steps: readonly Step[]; readonly id: string };
}

interface LifeRow {
  readonly roles?: readonly ModelRole[];
  readonly steps?: readonly Step[];
  readonly bodies: readonly JsonObject[];
  readonly modifications?: readonly JsonObject[];
}

interface RequestRow extends Omit<BaseRequest, 'operation' | 'ready'> {
  readonly why?: string;
  readonly operations: readonly string[];
  readonly steps?: readonly Step[];
  readonly fields?: JsonObject;
  readonly cheap?: JsonObject;
  readonly samples?: JsonObject;
  readonly rules?: Readonly<Record<string, readonly RuleCase[]>>;
  readonly cursor?: string;
  readonly renewed?: true;
}

interface ScenariosFile extends Omit<BodiesRow, 'bodies'>, Partial<Pick<StepLookup, 'sequences'>> {
  readonly parts?: JsonObject;
  readonly scenarios?: Readonly<Record<string, (Pick<BodiesRow, 'bodies'> & Partial<BodiesRow>) | StepsRow>>;
  readonly requests?: readonly RequestRow[];
  readonly lists?: readonly PagesRow[];
  readonly lives?: Readonly<Record<string, LifeRow>>;
}

/** Rows with bodies inherit the settings of their file. */
export function scenariosOfRows(materials: Materials): readonly Scenario[] {
  return scenarioFiles().flatMap(
    ({ scenarios = {}, lists = [], lives = {}, requests: _, sequences = {}, ...common }) => {
      const lookup = { ...materials, sequences };
      return [
        ...lists.flatMap((row) => listScenariosOf(row, lookup)),
        ...Object.entries(lives).map(([area, row]) => lifecycleOf(area, row, lookup)),
        ...Object.entries(scenarios).map(([name, row]) =>
          'steps' in row
            ? scenarioOfSteps(name, row, lookup)
            : scenarioOfBodies(name, { ...common, ...row }, lookup),
        ),
      ];
    },
  );
}

export function requestsOfRows(materials: Materials): readonly BaseRequest[] {
  return scenarioFiles().flatMap(({ requests = [], sequences = {} }) =>
    requests.flatMap((row) => baseRequestsOf(row, { ...materials, sequences })),
  );
}

function scenarioFiles(): readonly ScenariosFile[] {
  return findDataFiles('scenarios.json').map((path) => {
    const { parts = {}, ...file }: ScenariosFile = JSON.parse(readFileSync(path, 'utf8'));
    return withParts(file, parts);
  });
}

function withParts<T>(rows: T, parts: JsonObject): T {
  return JSON.parse(JSON.stringify(rows), (_, value) => {
    const name = typeof value === 'string' ? /^\{([a-z_]+)\}$/.exec(value)?.[1] : undefined;
    return name === undefined ? value : (parts[name] ?? value);
  });
}

function scenarioOfBodies(name: string, row: BodiesRow, lookup: StepLookup): Scenario {
  const { operation, role } = row;
  return scenario({
    name,
    operations: [operation],
    ...(role !== undefined && { roles: [role] }),
    run: (context) =>
      sendBodies(context, { ...row, bodies: new StepRunner(context, lookup).fill(row.bodies) }),
  });
}

function scenarioOfSteps(name: string, { steps, why: _, ...plan }: StepsRow, lookup: StepLookup): Scenario {
  return scenario({
    ...plan,
    name,
    run: async (context) => {
      await new StepRunner(context, lookup).run(steps);
    },
  });
}

function listScenariosOf({ owner, element, ...plan }: PagesRow, lookup: StepLookup): readonly Scenario[] {
  return listScenarios({
    ...plan,
    ...(owner !== undefined && {
      owner: async (context) =>
        pathValues(plan.operation, (await new StepRunner(context, lookup).run(owner)).values),
    }),
    ...(element !== undefined && {
      element: async (context, path, i) => {
        const { values } = await new StepRunner(context, lookup, { ...path, i }).run(element.steps);
        return String(values[element.id]);
      },
    }),
  });
}

function baseRequestsOf(
  { operations, why: _, ...row }: RequestRow,
  lookup: StepLookup,
): readonly BaseRequest[] {
  const { steps = [], fields, cheap, samples = {}, rules = {}, cursor, renewed, ...declared } = row;
  return operations.map((operation) =>
    baseRequest({
      ...declared,
      operation,
      ready: async (context) => {
        const prepare = () => new StepRunner(context, lookup).run(steps);
        const runner = await prepare();
        const cursorNames = operationOf(operation).list?.cursors ?? [];
        const cursorSamples: JsonObject =
          cursor === undefined
            ? {}
            : Object.fromEntries(cursorNames.map((name) => [`query.${name}`, cursor]));
        return {
          path: pathValues(operation, runner.values),
          ...(fields !== undefined && { fields: runner.fill(fields) }),
          ...(cheap !== undefined && { cheap: runner.fill(cheap) }),
          samples: sampleReaders({ ...samples, ...cursorSamples }, runner),
          rules: runner.fill(rules),
          ...(renewed && {
            renew: renewAfterPairs(async () => pathValues(operation, (await prepare()).values)),
          }),
        };
      },
    }),
  );
}

/** Fills a sample only when it is read: a model that the target lacks matters only to the probes that name it. */
function sampleReaders(
  samples: JsonObject,
  runner: StepRunner,
): Readonly<Record<string, (i: number) => Json>> {
  const readers = Object.entries(samples).map(([place, sample]) => {
    const read = (i: number): Json => {
      const value = runner.fill<Json>(sample);
      return place.endsWith('[]') && Array.isArray(value) ? (value[i] ?? value.at(-1) ?? '') : value;
    };
    return [place, read] as const;
  });
  return Object.fromEntries(readers);
}

function lifecycleOf(area: string, row: LifeRow, lookup: StepLookup): Scenario {
  const { roles = [], steps = [], bodies, modifications = [] } = row;
  const resource = createdResource(area);
  return lifecycleScenario({
    resource,
    roles,
    prepare: async (context) => {
      const runner = await new StepRunner(context, lookup).run(steps);
      const owner = pathValues(resource.create, runner.values);
      return { owner, bodies: runner.fill(bodies), modifications: runner.fill(modifications) };
    },
  });
}
