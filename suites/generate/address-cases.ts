import type { Stage } from '../../drive/scenario.ts';
import type { RequestConstraint } from '../../judge/probe/constraints.ts';
import type { Ready } from './base.ts';
import type { Cases } from './body-cases.ts';
import { breaking, keeping } from './boundary.ts';
import { type Samples, sample } from './values.ts';

type Query = Readonly<Record<string, string>>;

/** Queries for one constraint of a query parameter; everything is text there. */
export function queryCases(constraint: RequestConstraint, ready: Ready): Cases<Query> {
  const { keyword, pointer, steps, node } = constraint;
  const [first] = steps;
  if (first?.step !== 'property') return { keeping: [{}], breaking: [] };
  const own = ready.samples?.[pointer];
  const samples: Samples = own === undefined ? {} : { [node.path]: own };
  const query = (value: unknown): Query => ({ ...ready.query, [first.name]: text(value) });
  if (keyword === 'required') return { keeping: [query(sample(node, samples))], breaking: [] };
  const values = (own === undefined ? keeping(constraint, samples) : [own(0)]).map(query);
  const [control] = values;
  const wrong = keyword === 'type' ? ['assay'] : breaking(constraint, samples);
  return {
    keeping: values,
    breaking: control === undefined ? [] : wrong.map((value) => ({ request: query(value), control })),
  };
}

/** The path as it is, and with an id in this place that nobody has. */
export function pathCases(constraint: RequestConstraint, ready: Ready, stage: Stage): Cases<Query> {
  const path = ready.path ?? {};
  const name = constraint.pointer.replace(/^path\./, '');
  const prefix = /^[a-z]+[-_]/.exec(path[name] ?? '')?.[0] ?? '';
  return {
    keeping: [path],
    breaking: [{ request: { ...path, [name]: stage.unknownId(prefix) }, control: path }],
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
