// Probes of the path and the query. All values are text there, so only some keywords can be violated.
import type { ScenarioContext } from '../../../drive/scenario/scenario.ts';
import { ownersBefore, pathParameterOf, type RequestConstraint } from '../../../judge/probe/constraints.ts';

import type { ReadyRequest } from '../base.ts';
import { type SampleValues, sampleValue } from '../values.ts';
import type { Cases } from './body-cases.ts';
import { invalidValues, validValues } from './boundary.ts';

/** Query parameters by name, as text. */
type Query = Readonly<Record<string, string>>;

/** Queries for one constraint of a query parameter; everything is text there. */
export function queryCases(constraint: RequestConstraint, ready: ReadyRequest): Cases<Query> {
  const { keyword, pointer, steps, node } = constraint;
  const [first] = steps;
  if (first?.step !== 'property') return { keeping: [{}], breaking: [] };
  const own = ready.samples?.[pointer];
  const samples: SampleValues = own === undefined ? {} : { [node.path]: own };
  const query = (value: unknown): Query => ({ ...ready.query, [first.name]: text(value) });
  if (keyword === 'required') return { keeping: [query(sampleValue(node, samples))], breaking: [] };
  const values = (own === undefined ? validValues(constraint, samples) : [own(0)]).map(query);
  const [control] = values;
  const wrong = keyword === 'type' ? ['assay'] : invalidValues(constraint, samples);
  return {
    keeping: values,
    breaking: control === undefined ? [] : wrong.map((value) => ({ request: query(value), control })),
  };
}

/** The path as it is, with an unknown id in this place, and with this id below owners that it does not belong to. */
export function pathCases(
  constraint: RequestConstraint,
  ready: ReadyRequest,
  context: Pick<ScenarioContext, 'unknownId'>,
): Cases<Query> {
  const path = ready.path ?? {};
  const name = pathParameterOf(constraint);
  // The unknown id keeps the prefix of the real one,
  // so that a target which checks the form of ids
  // still has to look the object up.
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

/** A value as it is written in a query: JSON for objects and lists, plain text for the rest. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
