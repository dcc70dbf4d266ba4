// From the constraints of an operation to labelled requests, for each carrier: path, query, JSON body and
// form.
import type { CallInput, ScenarioContext } from '../../../drive/scenario/scenario.ts';
import type { Probe } from '../../../exchange/exchange.ts';
import { bodyTree, type RequestConstraint } from '../../../judge/probe/constraints.ts';
import { BASE_KEYWORD } from '../../../judge/probe/controls.ts';
import type { SchemaNode } from '../../../judge/schema/node.ts';
import { operation as operationOf, type Variant } from '../../../schemas/index.ts';
import type { BaseRequest, ReadyRequest } from '../base.ts';
import { looseFields, withBodyFields } from '../carry.ts';
import { pathCases, queryCases } from './address-cases.ts';
import { bodyCases, type Cases } from './body-cases.ts';

/** One labelled request. */
export interface PlannedProbe {
  /** The label that the trace keeps; the operation is added when it is sent. */
  readonly probe: Omit<Probe, 'operation'>;
  /** The request itself, ready to be sent. */
  readonly input: CallInput;
}

/** The valid request without the probed field, unless that is required: what a refused probe is compared with. */
export function baseProbe(
  base: BaseRequest,
  ready: ReadyRequest,
  { label, field }: { readonly label: string; readonly field: string },
): PlannedProbe {
  const { [field]: _, ...cheap } = ready.cheap ?? {};
  const carrier = variantOf(base).body?.carrier ?? null;
  return {
    probe: { id: label, pointer: 'body', keyword: BASE_KEYWORD, side: 'valid', control: null },
    input: withBodyFields(base, ready, carrier, looseFields(ready.fields, cheap)),
  };
}

/** The probes of one constraint on a valid request. */
export function probesOf(
  constraint: RequestConstraint,
  base: BaseRequest,
  ready: ReadyRequest,
  context: ScenarioContext,
): readonly PlannedProbe[] {
  const variant = variantOf(base);
  const carrier = variant.body?.carrier ?? null;
  const whole = (more: Partial<ReadyRequest>): CallInput => {
    const changed = { ...ready, ...more };
    return withBodyFields(base, changed, carrier, looseFields(changed.fields, changed.cheap));
  };
  switch (constraint.carrier) {
    case 'query':
      return labelled(constraint, queryCases(constraint, ready), (query) => whole({ query }));
    case 'path':
      return labelled(constraint, pathCases(constraint, ready, context), (path) => whole({ path }));
    default: {
      const tree = treeOf(variant);
      if (tree === null) return [];
      const cases = bodyCases(constraint, ready, tree);
      return labelled(constraint, cases, (fields) => withBodyFields(base, ready, carrier, fields));
    }
  }
}

/** Schema trees are immutable, so each variant needs only one. */
const trees = new WeakMap<Variant, SchemaNode | null>();

/** The tree of a variant's body, made once; null where it has none. */
export function treeOf(variant: Variant): SchemaNode | null {
  const known = trees.get(variant);
  if (known !== undefined) return known;
  const tree = bodyTree(variant);
  trees.set(variant, tree);
  return tree;
}

/** The form of the operation that a base is about. */
export function variantOf(base: BaseRequest): Variant {
  const { variants, id } = operationOf(base.operation);
  const counted = variants.filter((variant) => variant.counted);
  const found = base.variant === undefined ? counted[0] : counted.find(({ name }) => name === base.variant);
  if (found === undefined) throw new Error(`${id} has no variant ${base.variant ?? 'that counts'}.`);
  return found;
}

/** Adds the label of the constraint and its side to each request, and the control to each violation. */
function labelled<T>(
  constraint: RequestConstraint,
  cases: Cases<T>,
  input: (request: T) => CallInput,
): PlannedProbe[] {
  const { subject, pointer, keyword } = constraint;
  const name = `${subject}:${pointer}#${keyword}`;
  const valid = (i: number): string => `${name}.valid${i === 0 ? '' : i + 1}`;
  const keeping = cases.keeping.map(
    (request, i): PlannedProbe => ({
      probe: { id: valid(i), pointer, keyword, side: 'valid', control: null },
      input: input(request),
    }),
  );
  const breaking = cases.breaking.map(
    ({ request, control }, i): PlannedProbe => ({
      probe: {
        id: `${name}.violation${i === 0 ? '' : i + 1}`,
        pointer,
        keyword,
        side: 'violation',
        control: valid(Math.max(0, cases.keeping.indexOf(control))),
      },
      input: input(request),
    }),
  );
  // A path may be that of a call that deletes: what it shows of an unknown id comes before the object is gone.
  return constraint.carrier === 'path' ? [...breaking, ...keeping] : [...keeping, ...breaking];
}
