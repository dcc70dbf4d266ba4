import type { RequestConstraint } from '../../judge/probe/constraints.ts';
import type { Node } from '../../judge/schema/node.ts';
import type { Step } from '../../judge/schema/steps.ts';
import type { Fields, Ready, RuleCase } from './base.ts';
import { breaking, keeping } from './boundary.ts';
import { type Loose, loose } from './carry.ts';
import { absent, edit } from './edit.ts';
import { nodeAt } from './node-at.ts';
import { isObject, type Samples, sample, sampleBranch } from './values.ts';

/** Requests that keep a constraint, and requests that break it, each equal but for that to one of the first. */
export interface Cases<T> {
  readonly keeping: readonly T[];
  readonly breaking: readonly { readonly request: T; readonly control: T }[];
}

/** A value for a place of the body. */
interface Placed {
  readonly steps: readonly Step[];
  readonly value: (current: unknown) => unknown;
}

/** Bodies for one constraint of a JSON body or a form; none where only a rule of the family could tell them. */
export function bodyCases(constraint: RequestConstraint, ready: Ready, tree: Node): Cases<Loose> {
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
      const request = edit(tree, control, steps, ready.samples ?? {}, () => value);
      return { request: request as Loose, control: control as Loose }; // as: bodies are objects, and values only come with a control
    }),
  };
}

function byRule(ready: Ready, rules: readonly RuleCase[]): Cases<Loose> {
  const whole = (fields: Fields): Loose => loose(ready.fields, ready.cheap, fields);
  const made = rules.map(({ control, violation }) => ({ control: whole(control), violation }));
  return {
    keeping: made.map(({ control }) => control),
    breaking: made.flatMap(({ control, violation }) =>
      violation === undefined ? [] : [{ request: whole(violation), control }],
    ),
  };
}

/** The body as a whole: of nothing but the required fields, or no object at all. */
function ofWhole(keyword: string, ready: Ready): Cases<Loose> {
  const control = loose(ready.fields);
  if (keyword === 'required') return { keeping: [control], breaking: [] };
  if (keyword !== 'type') return { keeping: [], breaking: [] };
  const list: unknown = ['assay'];
  return { keeping: [control], breaking: [{ request: list as Loose, control }] }; // as: wrong on purpose
}

function kept(constraint: RequestConstraint, ready: Ready, tree: Node): readonly Placed[] {
  const { keyword, steps } = constraint;
  const samples: Samples = ready.samples ?? {};
  const union = tagged(constraint, tree);
  if (union !== null)
    return union.values(samples).map((value) => ({ steps: steps.slice(0, -1), value: () => value }));
  if (keyword === 'required') {
    const node = nodeAt(tree, steps);
    const present = (current: unknown): unknown =>
      current ?? (node === null ? 'assay' : sample(node, samples));
    return [{ steps, value: present }];
  }
  // What the family sends already is the best value of its type; what the schema allows may be no model, no file.
  const own = keyword === 'type' && constraint.node.union === null;
  return keeping(constraint, samples).map((value, i) => ({
    steps,
    value: (current) => (own && i === 0 ? (current ?? value) : value),
  }));
}

function broken(constraint: RequestConstraint, ready: Ready, tree: Node): readonly unknown[] {
  if (constraint.keyword === 'required') return [absent];
  if (tagged(constraint, tree) !== null)
    return constraint.keyword === 'enum' ? ['assay_no_such_kind'] : [{ assay: true }];
  if (constraint.carrier === 'multipart' && constraint.keyword === 'type') return ['assay'];
  return breaking(constraint, ready.samples ?? {});
}

/** Where a constraint is on the discriminator of a union, its values come with the whole branch that each chooses. */
function tagged(
  constraint: RequestConstraint,
  tree: Node,
): { values: (samples: Samples) => unknown[] } | null {
  const last = constraint.steps.at(-1);
  const owner = nodeAt(tree, constraint.steps.slice(0, -1));
  const union = owner?.union;
  if (owner === null || union?.by !== 'tag' || last?.step !== 'property' || last.name !== union.property)
    return null;
  const { property, branches } = union;
  const values = (samples: Samples): unknown[] =>
    branches.flatMap((branch) => {
      const value = sampleBranch(owner, branch, samples);
      return (branch.tags ?? []).map((tag) => (isObject(value) ? { ...value, [property]: tag } : value));
    });
  return {
    values: (samples) => (constraint.keyword === 'enum' ? values(samples) : values(samples).slice(0, 1)),
  };
}

function bodyWith({ steps, value }: Placed, ready: Ready, tree: Node): Loose {
  const [first] = steps;
  const field = first?.step === 'property' ? first.name : '';
  const plain = loose(ready.fields, ready.cheap);
  const draft = edit(tree, plain, steps, ready.samples ?? {}, value);
  const made = isObject(draft) ? draft[field] : undefined;
  const beside = ready.companions?.(field, made);
  return { ...plain, ...beside, ...(made === undefined ? {} : { [field]: made }) };
}
