import type { RoleName } from '../../drive/scenario/model-roles.ts';
import type { CallInput, CallResult, ScenarioContext } from '../../drive/scenario/scenario.ts';
import { operation as operationOf, pathParameters } from '../../schemas/index.ts';
import { jsonValueReader } from '../rows/places.ts';
import { dataTest, type Tests } from '../rows/test-words.ts';
import { listElements, textAt } from '../vocabulary/json.ts';
import type { Json, JsonObject } from '../vocabulary/types.ts';
import { type FileValue, formParts, type LooseFields } from './requests.ts';
import { type RulePlan, sendRuleProbes, violationLabel } from './rule-probes.ts';
import { dataUrl } from './sample-files.ts';

/** Carries out a `make` step, such as the creation of an object. Returns the values that it adds, such as ids. */
export type Maker = (input: MakerInput) => Promise<JsonObject>;

interface MakerInput {
  readonly context: ScenarioContext;
  readonly fields: JsonObject;
  readonly values: JsonObject;
  /** The result of the last `call`, `need` or `poll` step. Throws if there was none. */
  readonly last: () => CallResult;
}

type FormInput = Omit<CallInput, 'form'> & { readonly form?: LooseFields };

interface RuleRow extends Pick<RulePlan, 'operation' | 'pointer' | 'keyword'> {
  readonly base?: FormInput;
  readonly keeping: readonly FormInput[];
  readonly breaking?: readonly FormInput[];
}

/** One step, described by `scenarios.schema.json`. Further members belong to the request or to the maker. */
export interface Step extends Pick<CallInput, 'path' | 'query' | 'variant' | 'otherPath' | 'body'> {
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

export interface StepLookup extends Materials {
  readonly sequences: Readonly<Record<string, readonly Step[]>>;
}

/** By name: the makers of `make` steps, and the files of `{file NAME}` and `{url NAME}`. */
export interface Materials {
  readonly makers: Readonly<Record<string, Maker>>;
  readonly files: Readonly<Record<string, () => FileValue>>;
}

export function pathValues(operation: string, values: JsonObject): Readonly<Record<string, string>> {
  const names = pathParameters(operationOf(operation)).filter((name) => name in values);
  return Object.fromEntries(names.map((name) => [name, String(values[name])]));
}

function inputWithForm({ form, ...input }: FormInput): CallInput {
  return { ...input, ...(form !== undefined && { form: formParts(form) }) };
}

/** The values that steps keep fill the paths, and each `{name}`, in the requests of later steps. */
export class StepRunner {
  readonly values: Record<string, Json>;
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
   * Replaces names in braces with their values. A text that is a single name becomes the value itself. A member is
   * omitted if its value is undefined, as that of `{model? ROLE}` is if the role has no model.
   */
  fill<V>(value: V): V {
    return JSON.parse(JSON.stringify(value), (_, inner) =>
      typeof inner === 'string' ? this.#text(inner) : inner,
    );
  }

  async #step(step: Step): Promise<void> {
    const { if: condition, for: loops, do: inner, make, rule, next_second: waitsForSecond } = step;
    if (condition !== undefined && (this.values[condition] ?? null) === null) return;
    if (loops !== undefined) {
      for (const [name, values] of Object.entries(this.fill(loops)))
        for (const value of values) {
          this.values[name] = value;
          await this.run(this.#sequence(inner));
        }
    } else if (inner !== undefined) await this.run(this.#sequence(inner));
    else if (waitsForSecond === true) await this.#context.nextSecond();
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
    const sequence = typeof steps === 'string' ? this.#lookup.sequences[steps] : steps;
    if (sequence === undefined)
      throw new Error(`No sequence of the file is called ${JSON.stringify(steps)}.`);
    return sequence;
  }

  async #make(name: string, { make: _, as, ...fields }: Step): Promise<void> {
    const maker = this.#lookup.makers[name];
    if (maker === undefined) throw new Error(`No maker is called ${JSON.stringify(name)}.`);
    const last = (): CallResult => {
      if (this.#last === null)
        throw new Error(`No call, need or poll precedes the maker ${JSON.stringify(name)}.`);
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
      path: pathValues(operation, { ...this.values, ...this.fill(path) }),
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
    const [, onlyName] = /^\{([^{}]+)\}$/.exec(text) ?? [];
    if (onlyName !== undefined) return this.#value(onlyName);
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
    const value = jsonValueReader(name)(this.values);
    if (value === undefined) throw new Error(`No earlier step keeps {${name}}.`);
    return value;
  }
}
