// An invalid request differs from a valid one only in that it violates the constraint. For rules that no single
// keyword states, the families supply both.
import type { CallInput, ScenarioContext } from '../../drive/scenario/scenario.ts';
import type { Probe } from '../../exchange/exchange.ts';
import { BASE_KEYWORD } from '../../judge/probe/probe-outcomes.ts';
import {
  bodyTree,
  ownersBefore,
  pathParameterOf,
  type RequestConstraint,
} from '../../judge/probe/request-constraints.ts';
import type { InstanceStep, SchemaNode } from '../../judge/schema/node.ts';
import { operation as operationOf, type Variant } from '../../schemas/index.ts';
import { ABSENT, editAt, nodeAt } from './edit-value.ts';
import {
  type BaseRequest,
  type LooseFields,
  looseFields,
  type ReadyRequest,
  type RequestFields,
  type RuleCase,
  withBodyFields,
} from './requests.ts';
import {
  invalidValues,
  isFieldObject,
  type SampleValues,
  sampleBranch,
  sampleValue,
  validValues,
} from './values.ts';

export interface PlannedProbe {
  readonly probe: Omit<Probe, 'operation'>;
  readonly input: CallInput;
}

export function baseProbeLabel(id: string): PlannedProbe['probe'] {
  return { id, pointer: 'body', keyword: BASE_KEYWORD, side: 'valid', control: null };
}

/** The valid request without the probed field if this is optional: the control of the valid probes of the field. */
export function baseProbe(
  base: BaseRequest,
  ready: ReadyRequest,
  { label, field }: { readonly label: string; readonly field: string },
): PlannedProbe {
  const { [field]: _, ...cheap } = ready.cheap ?? {};
  const carrier = variantOf(base).body?.carrier ?? null;
  return {
    probe: baseProbeLabel(label),
    input: withBodyFields(base, ready, carrier, looseFields(ready.fields, cheap)),
  };
}

/** The valid and invalid requests for a constraint, labelled and in the order in which to send them. */
export function probesOf(
  constraint: RequestConstraint,
  base: BaseRequest,
  ready: ReadyRequest,
  context: ScenarioContext,
): readonly PlannedProbe[] {
  const variant = variantOf(base);
  const carrier = variant.body?.carrier ?? null;
  const requestWith = (more: Partial<ReadyRequest>): CallInput =>
    withBodyFields(base, { ...ready, ...more }, carrier, looseFields(ready.fields, ready.cheap));
  switch (constraint.carrier) {
    case 'query':
      return labelledProbes(constraint, queryCases(constraint, ready), (query) => requestWith({ query }));
    case 'path':
      return labelledProbes(constraint, pathCases(constraint, ready, context), (path) =>
        requestWith({ path }),
      );
    default: {
      const tree = bodyTree(variant);
      if (tree === null) return [];
      const cases = bodyCases(constraint, ready, tree);
      return labelledProbes(constraint, cases, (fields) => withBodyFields(base, ready, carrier, fields));
    }
  }
}

export function variantOf(base: BaseRequest): Variant {
  const { variants, id } = operationOf(base.operation);
  const counted = variants.filter((variant) => variant.counted);
  const variant = base.variant === undefined ? counted[0] : counted.find(({ name }) => name === base.variant);
  if (variant === undefined) throw new Error(`${id} has no variant ${base.variant ?? 'that counts'}.`);
  return variant;
}

function labelledProbes<T>(
  constraint: RequestConstraint,
  cases: Cases<T>,
  inputFor: (request: T) => CallInput,
): PlannedProbe[] {
  const { subject, pointer, keyword } = constraint;
  const name = `${subject}:${pointer}#${keyword}`;
  const validId = (i: number): string => `${name}.valid${i === 0 ? '' : i + 1}`;
  const keeping = cases.keeping.map(
    (request, i): PlannedProbe => ({
      probe: { id: validId(i), pointer, keyword, side: 'valid', control: null },
      input: inputFor(request),
    }),
  );
  const breaking = cases.breaking.map(
    ({ request, control }, i): PlannedProbe => ({
      probe: {
        id: `${name}.violation${i === 0 ? '' : i + 1}`,
        pointer,
        keyword,
        side: 'violation',
        control: validId(cases.keeping.indexOf(control)),
      },
      input: inputFor(request),
    }),
  );
  // The valid request may delete the object, so the violations are sent first.
  return constraint.carrier === 'path' ? [...breaking, ...keeping] : [...keeping, ...breaking];
}

export interface Cases<T> {
  readonly keeping: readonly T[];
  /** Requests that violate the constraint; `control` is the element of `keeping` that is otherwise equal. */
  readonly breaking: readonly { readonly request: T; readonly control: T }[];
}

interface PlacedChange {
  readonly steps: readonly InstanceStep[];
  readonly change: (current: unknown) => unknown;
}

/** The cases of a constraint on the body; empty if only the rules of the family can supply them, and they do not. */
export function bodyCases(
  constraint: RequestConstraint,
  ready: ReadyRequest,
  tree: SchemaNode,
): Cases<LooseFields> {
  const { keyword, pointer, steps, carrier } = constraint;
  const rules = ready.rules?.[`${pointer}#${keyword}`] ?? ready.rules?.[keyword];
  if (rules !== undefined) return casesOfRules(ready, rules);
  if (steps.length === 0) return casesOfWholeBody(keyword, ready);
  if (carrier === 'file' && keyword !== 'required') return { keeping: [], breaking: [] };
  const bodies = satisfyingChanges(constraint, ready, tree).map((placed) => bodyWith(placed, ready, tree));
  const [control] = bodies;
  const values = control === undefined ? [] : violatingValues(constraint, ready, tree);
  return {
    keeping: bodies,
    breaking: values.map((value) => {
      const request = editAt(tree, control, steps, { samples: ready.samples ?? {}, change: () => value });
      return { request: request as LooseFields, control: control as LooseFields }; // as: bodies are objects
    }),
  };
}

function casesOfRules(ready: ReadyRequest, rules: readonly RuleCase[]): Cases<LooseFields> {
  const bodyOf = (fields: RequestFields): LooseFields => looseFields(ready.fields, ready.cheap, fields);
  const cases = rules.map(({ control, violation }) => ({ control: bodyOf(control), violation }));
  return {
    keeping: cases.map(({ control }) => control),
    breaking: cases.flatMap(({ control, violation }) =>
      violation === undefined ? [] : [{ request: bodyOf(violation), control }],
    ),
  };
}

function casesOfWholeBody(keyword: string, ready: ReadyRequest): Cases<LooseFields> {
  const control = looseFields(ready.fields);
  if (keyword === 'required') return { keeping: [control], breaking: [] };
  if (keyword !== 'type') return { keeping: [], breaking: [] };
  const list: unknown = ['assay'];
  return { keeping: [control], breaking: [{ request: list as LooseFields, control }] }; // as: wrong on purpose
}

function satisfyingChanges(
  constraint: RequestConstraint,
  ready: ReadyRequest,
  tree: SchemaNode,
): readonly PlacedChange[] {
  const { keyword, steps } = constraint;
  const samples: SampleValues = ready.samples ?? {};
  const union = taggedUnion(constraint, tree);
  if (union !== null)
    return union.values(samples).map((value) => ({ steps: steps.slice(0, -1), change: () => value }));
  if (keyword === 'required') {
    const node = nodeAt(tree, steps);
    return [{ steps, change: (value) => value ?? (node === null ? 'assay' : sampleValue(node, samples)) }];
  }
  // The value of the family comes first: another one might not name an existing model or file.
  const keepsCurrent = keyword === 'type' && constraint.node.union === null;
  return validValues(constraint, samples).map((value, i) => ({
    steps,
    change: (current) => (keepsCurrent && i === 0 ? (current ?? value) : value),
  }));
}

function violatingValues(
  constraint: RequestConstraint,
  ready: ReadyRequest,
  tree: SchemaNode,
): readonly unknown[] {
  if (constraint.keyword === 'required') return [ABSENT];
  if (taggedUnion(constraint, tree) !== null)
    return constraint.keyword === 'enum' ? ['assay_no_such_kind'] : [{ assay: true }];
  if (constraint.carrier === 'multipart' && constraint.keyword === 'type')
    return textsOfWrongType(constraint);
  return invalidValues(constraint, ready.samples ?? {});
}

function taggedUnion(
  constraint: RequestConstraint,
  tree: SchemaNode,
): { values: (samples: SampleValues) => unknown[] } | null {
  const last = constraint.steps.at(-1);
  const owner = nodeAt(tree, constraint.steps.slice(0, -1));
  const union = owner?.union;
  if (owner === null || union?.by !== 'tag' || last?.step !== 'property' || last.name !== union.property)
    return null;
  const { property, branches } = union;
  const values = (samples: SampleValues): unknown[] =>
    branches.flatMap((branch) => {
      // The specification leaves open whether this branch is accepted.
      if (branch.node.open?.sides.includes('accepted') === true) return [];
      const value = sampleBranch(owner, branch, samples);
      return (branch.tags ?? []).map((tag) => (isFieldObject(value) ? { ...value, [property]: tag } : value));
    });
  return {
    values: (samples) => (constraint.keyword === 'enum' ? values(samples) : values(samples).slice(0, 1)),
  };
}

function bodyWith({ steps, change }: PlacedChange, ready: ReadyRequest, tree: SchemaNode): LooseFields {
  const [first] = steps;
  const field = first?.step === 'property' ? first.name : '';
  const plain = looseFields(ready.fields, ready.cheap);
  const draft = editAt(tree, plain, steps, { samples: ready.samples ?? {}, change });
  const edited = isFieldObject(draft) ? draft[field] : undefined;
  const companions = ready.companions?.(field, edited);
  return { ...plain, ...companions, ...(edited === undefined ? {} : { [field]: edited }) };
}

/** The parameters of a path or query. They are text, so only some keywords can be violated. */
type TextParameters = Readonly<Record<string, string>>;

function queryCases(constraint: RequestConstraint, ready: ReadyRequest): Cases<TextParameters> {
  const { keyword, pointer, steps, node } = constraint;
  const [first] = steps;
  if (first?.step !== 'property') return { keeping: [{}], breaking: [] };
  const sample = ready.samples?.[pointer];
  const samples: SampleValues = sample === undefined ? {} : { [node.path]: sample };
  const query = (value: unknown): TextParameters => ({ ...ready.query, [first.name]: textOf(value) });
  if (keyword === 'required') return { keeping: [query(sampleValue(node, samples))], breaking: [] };
  const values = (sample === undefined ? validValues(constraint, samples) : [sample(0)]).map(query);
  const [control] = values;
  const wrong = keyword === 'type' ? textsOfWrongType(constraint) : invalidValues(constraint, samples);
  return {
    keeping: values,
    breaking: control === undefined ? [] : wrong.map((value) => ({ request: query(value), control })),
  };
}

export function pathCases(
  constraint: RequestConstraint,
  ready: ReadyRequest,
  context: Pick<ScenarioContext, 'unknownId'>,
): Cases<TextParameters> {
  const path = ready.path ?? {};
  const name = pathParameterOf(constraint);
  // The unknown id has the prefix of the real one, so that a target that checks the form of ids still looks it up.
  const prefix = /^[a-z]+[-_]/.exec(path[name] ?? '')?.[0] ?? '';
  const owners = ownersBefore(constraint.operation, name);
  const others = owners.flatMap((owner) => {
    const id = ready.elsewhere?.[owner];
    return id === undefined ? [] : [[owner, id] as const];
  });
  const wrong = [
    { ...path, [name]: context.unknownId(prefix) },
    ...(others.length === 0 ? [] : [{ ...path, ...Object.fromEntries(others) }]),
  ];
  return { keeping: [path], breaking: wrong.map((request) => ({ request, control: path })) };
}

function textsOfWrongType({ value }: RequestConstraint): readonly string[] {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  return types.includes('integer') && !types.includes('number') ? ['assay', '1.5'] : ['assay'];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
