// Rules that no single keyword states come from the family, as pairs of a control and its violation.
// Probes of JSON bodies and forms: for each constraint valid bodies, and invalid ones that differ from a valid
// body in that constraint alone.
import type { RequestConstraint } from '../../../judge/probe/constraints.ts';
import type { InstanceStep, SchemaNode } from '../../../judge/schema/node.ts';
import type { ReadyRequest, RequestFields, RuleCase } from '../base.ts';
import { type LooseFields, looseFields } from '../carry.ts';
import { ABSENT, editAt } from '../edit.ts';
import { nodeAt } from '../node-at.ts';
import { isFieldObject, type SampleValues, sampleBranch, sampleValue } from '../values.ts';
import { invalidValues, validValues } from './boundary.ts';

/** Requests that keep a constraint, and requests that break it, each equal but for that to one of the first. */
export interface Cases<T> {
  /** Valid requests; the first one is the usual control. */
  readonly keeping: readonly T[];
  /** Invalid requests, each with the valid request that differs from it in this constraint alone. */
  readonly breaking: readonly { readonly request: T; readonly control: T }[];
}

/** A value for a place of the body. */
interface Placed {
  /** Path from the root of the body to the place. */
  readonly steps: readonly InstanceStep[];
  /** The value of the place, given its current one. */
  readonly value: (current: unknown) => unknown;
}

/** Bodies for one constraint of a JSON body or a form; empty where only a rule of the family could supply them. */
export function bodyCases(
  constraint: RequestConstraint,
  ready: ReadyRequest,
  tree: SchemaNode,
): Cases<LooseFields> {
  const { keyword, pointer, steps, carrier } = constraint;
  const rules = ready.rules?.[`${pointer}#${keyword}`] ?? ready.rules?.[keyword];
  if (rules !== undefined) return byRule(ready, rules);
  if (steps.length === 0) return ofWhole(keyword, ready);
  if (carrier === 'file' && keyword !== 'required') return { keeping: [], breaking: [] };
  const bodies = kept(constraint, ready, tree).map((placed) => bodyWith(placed, ready, tree));
  const [control] = bodies;
  const values = control === undefined ? [] : broken(constraint, ready, tree);
  return {
    keeping: bodies,
    breaking: values.map((value) => {
      const request = editAt(tree, control, steps, { samples: ready.samples ?? {}, change: () => value });
      return { request: request as LooseFields, control: control as LooseFields }; // as: bodies are objects, and values only come with a control
    }),
  };
}

/** Requests that the family supplies for a constraint, in place of generated values. */
function byRule(ready: ReadyRequest, rules: readonly RuleCase[]): Cases<LooseFields> {
  const whole = (fields: RequestFields): LooseFields => looseFields(ready.fields, ready.cheap, fields);
  const made = rules.map(({ control, violation }) => ({ control: whole(control), violation }));
  return {
    keeping: made.map(({ control }) => control),
    breaking: made.flatMap(({ control, violation }) =>
      violation === undefined ? [] : [{ request: whole(violation), control }],
    ),
  };
}

/** The body as a whole: of nothing but the required fields, or no object at all. */
function ofWhole(keyword: string, ready: ReadyRequest): Cases<LooseFields> {
  const control = looseFields(ready.fields);
  if (keyword === 'required') return { keeping: [control], breaking: [] };
  if (keyword !== 'type') return { keeping: [], breaking: [] };
  const list: unknown = ['assay'];
  return { keeping: [control], breaking: [{ request: list as LooseFields, control }] }; // as: wrong on purpose
}

/** Values that satisfy the constraint, with their places in the body. */
function kept(constraint: RequestConstraint, ready: ReadyRequest, tree: SchemaNode): readonly Placed[] {
  const { keyword, steps } = constraint;
  const samples: SampleValues = ready.samples ?? {};
  const union = tagged(constraint, tree);
  if (union !== null)
    return union.values(samples).map((value) => ({ steps: steps.slice(0, -1), value: () => value }));
  if (keyword === 'required') {
    const node = nodeAt(tree, steps);
    const present = (current: unknown): unknown =>
      current ?? (node === null ? 'assay' : sampleValue(node, samples));
    return [{ steps, value: present }];
  }
  // The value that the family already sends is the best one of its type; another one that the schema allows may not
  // name an existing model or file.
  const own = keyword === 'type' && constraint.node.union === null;
  return validValues(constraint, samples).map((value, i) => ({
    steps,
    value: (current) => (own && i === 0 ? (current ?? value) : value),
  }));
}

/** Values that violate the constraint, of the same place. */
function broken(constraint: RequestConstraint, ready: ReadyRequest, tree: SchemaNode): readonly unknown[] {
  if (constraint.keyword === 'required') return [ABSENT];
  if (tagged(constraint, tree) !== null)
    return constraint.keyword === 'enum' ? ['assay_no_such_kind'] : [{ assay: true }];
  if (constraint.carrier === 'multipart' && constraint.keyword === 'type') return ['assay'];
  return invalidValues(constraint, ready.samples ?? {});
}

/** Where a constraint is on the discriminator of a union, its values come with the whole branch that each chooses. */
function tagged(
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
      // Whether requests with this branch are accepted is left open.
      if (branch.node.open?.sides.includes('accepted') === true) return [];
      const value = sampleBranch(owner, branch, samples);
      return (branch.tags ?? []).map((tag) => (isFieldObject(value) ? { ...value, [property]: tag } : value));
    });
  return {
    values: (samples) => (constraint.keyword === 'enum' ? values(samples) : values(samples).slice(0, 1)),
  };
}

/** The valid body of the family with one value placed, and the companions that the new field needs. */
function bodyWith({ steps, value }: Placed, ready: ReadyRequest, tree: SchemaNode): LooseFields {
  const [first] = steps;
  const field = first?.step === 'property' ? first.name : '';
  const plain = looseFields(ready.fields, ready.cheap);
  const draft = editAt(tree, plain, steps, { samples: ready.samples ?? {}, change: value });
  const made = isFieldObject(draft) ? draft[field] : undefined;
  const beside = ready.companions?.(field, made);
  return { ...plain, ...beside, ...(made === undefined ? {} : { [field]: made }) };
}
