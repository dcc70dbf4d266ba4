// The scenarios of all `scenarios.json` files: bodies for one operation, steps that send requests in order, lists, and
// lifecycles of objects. `data/scenarios.schema.json` describes the files.
import { readFileSync } from 'node:fs';
import type { ModelRole, RoleName } from '../../drive/scenario/model-roles.ts';
import {
  type CallInput,
  type CallResult,
  type Scenario,
  type ScenarioContext,
  scenario,
} from '../../drive/scenario/scenario.ts';
import { type CostClass, type FamilyName, operation as operationOf } from '../../schemas/index.ts';
import { dataFiles } from '../data/family-data.ts';
import { jsonValueReader } from '../rows/places.ts';
import { dataTest, type Tests } from '../rows/test-words.ts';
import { listElements, textAt } from '../vocabulary/json.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';
import { lifecycleScenario } from './lifecycle.ts';
import { type ListPlan, listScenarios } from './list-scenarios.ts';
import {
  type BaseRequest,
  baseRequest,
  type FileValue,
  formParts,
  type LooseFields,
  type RuleCase,
  renewAfterPairs,
} from './requests.ts';
import { createdResource, pathParameters } from './resources.ts';
import { type RulePlan, sendRuleProbes, violationLabel } from './rule-probes.ts';
import { dataUrl } from './sample-files.ts';
import { type BodiesRow, sendBodies } from './send-bodies.ts';

/** Carries out a `make` step, such as creating an object; returns the values that it adds, such as ids for paths. */
export type Maker = (given: MakerInput) => Promise<JsonObject>;

interface MakerInput {
  readonly context: ScenarioContext;
  /** The fields of the step, except for `make` and `as`. */
  readonly fields: JsonObject;
  readonly values: JsonObject;
  readonly last: () => CallResult;
}

/** A request whose form, if it has one, is an object with its fields. */
type FormInput = Omit<CallInput, 'form'> & { readonly form?: LooseFields };

interface RuleRow extends Pick<RulePlan, 'operation' | 'pointer' | 'keyword'> {
  readonly base?: FormInput;
  readonly keeping: readonly FormInput[];
  readonly breaking?: readonly FormInput[];
}

/** One step. Members beyond those below belong to the request or the maker. */
interface Step extends Pick<CallInput, 'path' | 'query' | 'variant' | 'otherPath' | 'body'> {
  readonly call?: string;
  readonly need?: string;
  readonly poll?: string;
  readonly until?: Tests;
  readonly keep?: Readonly<Record<string, string>>;
  readonly breaks?: string;
  readonly across_seconds?: true;
  readonly download?: true;
  readonly accepted?: readonly Step[];
  readonly refused?: readonly Step[];
  readonly make?: string;
  readonly as?: string;
  readonly form?: LooseFields;
  readonly rule?: RuleRow;
  readonly if?: string;
  readonly for?: Readonly<Record<string, readonly Json[]>>;
  readonly do?: string | readonly Step[];
  readonly next_second?: true;
}

interface StepsRow {
  readonly why?: string;
  readonly operations: readonly string[];
  readonly cost?: readonly CostClass[];
  readonly roles?: readonly RoleName[];
  readonly optionalRoles?: readonly RoleName[];
  readonly family?: FamilyName;
  readonly steps: readonly Step[];
}

interface ListRow extends Omit<ListPlan, 'owner' | 'element'> {
  readonly owner?: readonly Step[];
  /** Steps that create an element, and the name of the value with its id; `{i}` is its index. */
  readonly element?: { readonly steps: readonly Step[]; readonly id: string };
}

/** The lifecycle of the objects of an area of `resources.json`. */
interface LifeRow {
  readonly roles?: readonly ModelRole[];
  /** Steps that create the owner of the object, and the objects that the bodies name. */
  readonly steps?: readonly Step[];
  readonly bodies: readonly JsonObject[];
  readonly modifications?: readonly JsonObject[];
}

/** Valid requests of some operations, from which probes are derived according to the schemas. */
interface RequestRow extends Omit<BaseRequest, 'operation' | 'ready'> {
  readonly why?: string;
  readonly operations: readonly string[];
  /** Steps that create the objects that the requests need, and keep the ids for their paths. */
  readonly steps?: readonly Step[];
  readonly fields?: JsonObject;
  readonly cheap?: JsonObject;
  /** Valid values by path. A list at a path with `[]` has one value for each element. */
  readonly samples?: JsonObject;
  readonly rules?: Readonly<Record<string, readonly RuleCase[]>>;
  /** The id that the cursors of a list name. */
  readonly cursor?: string;
  /** True if a change of the metadata needs a new object: see `renewAfterPairs`. */
  readonly renewed?: true;
}

interface StepLookup extends Materials {
  /** Steps that several scenarios have in common, by name. */
  readonly sequences: Readonly<Record<string, readonly Step[]>>;
}

/** The names available to steps and requests: objects to create, and files to upload (`{file NAME}`). */
export interface Materials {
  readonly makers: Readonly<Record<string, Maker>>;
  readonly files: Readonly<Record<string, () => FileValue>>;
}

interface ScenariosFile extends Omit<BodiesRow, 'bodies'>, Partial<Pick<StepLookup, 'sequences'>> {
  readonly parts?: JsonObject;
  readonly scenarios?: Readonly<Record<string, (Pick<BodiesRow, 'bodies'> & Partial<BodiesRow>) | StepsRow>>;
  readonly requests?: readonly RequestRow[];
  readonly lists?: readonly ListRow[];
  readonly lives?: Readonly<Record<string, LifeRow>>;
}

/** The scenarios of all files. The settings of a file are the defaults of its rows with bodies. */
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

/** The valid requests of all files. */
export function requestsOfRows(materials: Materials): readonly BaseRequest[] {
  return scenarioFiles().flatMap(({ requests = [], sequences = {} }) =>
    requests.flatMap((row) => baseRequestsOf(row, { ...materials, sequences })),
  );
}

function scenarioFiles(): readonly ScenariosFile[] {
  return dataFiles('scenarios.json').map((path) => {
    const { parts = {}, ...file }: ScenariosFile = JSON.parse(readFileSync(path, 'utf8'));
    return withParts(file, parts);
  });
}

/** Replaces the names of parts in rows, such as `{say}`, with the parts. */
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

function listScenariosOf({ owner, element, ...plan }: ListRow, lookup: StepLookup): readonly Scenario[] {
  return listScenarios({
    ...plan,
    ...(owner !== undefined && {
      owner: async (context) =>
        pathOf(plan.operation, (await new StepRunner(context, lookup).run(owner)).values),
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
        const cursors = cursor === undefined ? [] : (operationOf(operation).list?.cursors ?? []);
        const values = {
          ...samples,
          ...Object.fromEntries(cursors.map((name) => [`query.${name}`, cursor ?? ''])),
        };
        return {
          path: pathOf(operation, runner.values),
          ...(fields !== undefined && { fields: runner.fill(fields) }),
          ...(cheap !== undefined && { cheap: runner.fill(cheap) }),
          // Filled late: a model that the target lacks matters only to probes that send it.
          samples: Object.fromEntries(
            Object.entries(values).map(([place, sample]) => [
              place,
              (i) => {
                const value = runner.fill<Json>(sample);
                return place.endsWith('[]') && Array.isArray(value)
                  ? (value[i] ?? value.at(-1) ?? '')
                  : value;
              },
            ]),
          ),
          rules: runner.fill(rules),
          ...(renewed && { renew: renewAfterPairs(async () => pathOf(operation, (await prepare()).values)) }),
        };
      },
    }),
  );
}

function lifecycleOf(area: string, row: LifeRow, lookup: StepLookup): Scenario {
  const { roles = [], steps = [], bodies, modifications = [] } = row;
  const resource = createdResource(area);
  return lifecycleScenario({
    resource,
    roles,
    prepare: async (context) => {
      const runner = await new StepRunner(context, lookup).run(steps);
      const owner = pathOf(resource.create, runner.values);
      return { owner, bodies: runner.fill(bodies), modifications: runner.fill(modifications) };
    },
  });
}

/** The values of the path parameters of an operation. */
function pathOf(operation: string, values: JsonObject): Readonly<Record<string, string>> {
  const names = pathParameters(operationOf(operation)).filter((name) => name in values);
  return Object.fromEntries(names.map((name) => [name, String(values[name])]));
}

function inputWithForm({ form, ...input }: FormInput): CallInput {
  return { ...input, ...(form !== undefined && { form: formParts(form) }) };
}

/** Carries out steps; the values that they keep fill the paths and `{name}` in the requests of later ones. */
class StepRunner {
  values: Record<string, Json>;
  readonly #context: ScenarioContext;
  readonly #lookup: StepLookup;
  #last: CallResult | null = null;

  constructor(context: ScenarioContext, lookup: StepLookup, values: JsonObject = {}) {
    this.#context = context;
    this.#lookup = lookup;
    this.values = { ...values };
  }

  async run(steps: readonly Step[]): Promise<this> {
    for (const step of steps) await this.#step(step);
    return this;
  }

  /**
   * Replaces names in braces with their values. A text that is a single name becomes the value itself; a member is
   * omitted if its value is undefined, such as that of `{model? ROLE}` without a model.
   */
  fill<V>(value: V): V {
    return JSON.parse(JSON.stringify(value), (_, inner) =>
      typeof inner === 'string' ? this.#text(inner) : inner,
    );
  }

  async #step(step: Step): Promise<void> {
    const { if: condition, for: loops, do: inner, make, rule, next_second: waits } = step;
    if (condition !== undefined && (this.values[condition] ?? null) === null) return;
    if (loops !== undefined) {
      for (const [name, values] of Object.entries(this.fill(loops)))
        for (const value of values) {
          this.values[name] = value;
          await this.run(this.#sequence(inner));
        }
    } else if (inner !== undefined) await this.run(this.#sequence(inner));
    else if (waits === true) await this.#context.nextSecond();
    else if (rule !== undefined) {
      const { base, keeping, breaking = [], ...plan } = this.fill(rule);
      await sendRuleProbes(this.#context, {
        ...plan,
        ...(base !== undefined && { base: inputWithForm(base) }),
        keeping: keeping.map(inputWithForm),
        breaking: breaking.map(inputWithForm),
      });
    } else if (make !== undefined) await this.#make(make, step);
    else await this.#send(step);
  }

  #sequence(steps: Step['do'] = []): readonly Step[] {
    const found = typeof steps === 'string' ? this.#lookup.sequences[steps] : steps;
    if (found === undefined) throw new Error(`No sequence of the file is called ${JSON.stringify(steps)}.`);
    return found;
  }

  async #make(name: string, { make: _, as, ...fields }: Step): Promise<void> {
    const maker = this.#lookup.makers[name];
    if (maker === undefined) throw new Error(`No maker is called ${JSON.stringify(name)}.`);
    const last = (): CallResult => {
      if (this.#last === null)
        throw new Error(`No step before the maker ${JSON.stringify(name)} sends a request.`);
      return this.#last;
    };
    const filled = this.fill(fields) as JsonObject; // as: a step is JSON
    const values = await maker({ context: this.#context, fields: filled, values: this.values, last });
    const [first = null] = Object.values(values);
    Object.assign(this.values, as === undefined ? values : { [as]: first });
  }

  async #send({
    call,
    need,
    poll,
    until = {},
    keep = {},
    breaks,
    across_seconds,
    download,
    accepted,
    refused,
    path = {},
    ...request
  }: Step): Promise<void> {
    const operation = call ?? need ?? poll ?? '';
    const input: CallInput = {
      path: pathOf(operation, { ...this.values, ...this.fill(path) }),
      ...inputWithForm(this.fill(request)),
      ...(breaks !== undefined && violationLabel(operation, breaks)),
    };
    const context = this.#context;
    let result: CallResult;
    if (poll !== undefined) result = await context.poll(operation, input, dataTest(until));
    else if (need !== undefined) result = await context.need(operation, input);
    else if (across_seconds === true) result = await context.acrossSeconds(operation, input);
    else result = await context.call(operation, input);
    this.#last = result;
    if (result.ok)
      for (const [name, pointer] of Object.entries(keep)) this.values[name] = result.text(pointer);
    for (const { value } of download === true ? listElements(result.json) : []) {
      const url = textAt(value, 'url');
      if (url !== undefined) await context.download(url);
    }
    await this.run((result.ok ? accepted : refused) ?? []);
  }

  #text(text: string): Json | FileValue | undefined {
    const [, whole] = /^\{([^{}]+)\}$/.exec(text) ?? [];
    if (whole !== undefined) return this.#value(whole);
    return text.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(this.#value(name)));
  }

  #value(name: string): Json | FileValue | undefined {
    const [, word = name, argument = ''] = /^([\w?]+) (.*)$/.exec(name) ?? [];
    if (word === 'tag') return this.#context.tag;
    if (word === 'model') return this.#context.model(argument as RoleName); // as: the schema lists the roles
    if (word === 'model?') return this.#context.modelField(argument as RoleName)['model']; // as above
    if (word === 'unknown') return this.#context.unknownId(argument);
    const file = word === 'file' || word === 'url' ? this.#lookup.files[argument] : undefined;
    if (file !== undefined) return word === 'url' ? dataUrl(file()) : file();
    const found = jsonValueReader(name)(this.values);
    if (found === undefined) throw new Error(`No earlier step keeps {${name}}.`);
    return found;
  }
}
