import type { CallInput, Stage } from '../../drive/scenario.ts';
import type { Probe } from '../../exchange/exchange.ts';
import { bodyTree, type RequestConstraint } from '../../judge/probe/constraints.ts';
import type { Node } from '../../judge/schema/node.ts';
import { operation as operationOf, type Variant } from '../../schemas/index.ts';
import { pathCases, queryCases } from './address-cases.ts';
import type { Base, Ready } from './base.ts';
import { bodyCases, type Cases } from './body-cases.ts';
import { carried, loose } from './carry.ts';

/** One labelled request. */
export interface Planned {
  readonly probe: Omit<Probe, 'operation'>;
  readonly input: CallInput;
}

/** The probes of one constraint on a valid request. */
export function probesOf(
  constraint: RequestConstraint,
  base: Base,
  ready: Ready,
  stage: Stage,
): readonly Planned[] {
  const variant = variantOf(base);
  const carrier = variant.body?.carrier ?? null;
  const whole = (more: Partial<Ready>): CallInput => {
    const changed = { ...ready, ...more };
    return carried(base, changed, carrier, loose(changed.fields, changed.cheap));
  };
  switch (constraint.carrier) {
    case 'query':
      return labelled(constraint, queryCases(constraint, ready), (query) => whole({ query }));
    case 'path':
      return labelled(constraint, pathCases(constraint, ready, stage), (path) => whole({ path }));
    default: {
      const tree = treeOf(variant);
      if (tree === null) return [];
      const cases = bodyCases(constraint, ready, tree);
      return labelled(constraint, cases, (fields) => carried(base, ready, carrier, fields));
    }
  }
}

const trees = new WeakMap<Variant, Node | null>();

/** The tree of a variant's body, made once; null where it has none. */
export function treeOf(variant: Variant): Node | null {
  const known = trees.get(variant);
  if (known !== undefined) return known;
  const tree = bodyTree(variant);
  trees.set(variant, tree);
  return tree;
}

/** The form of the operation that a base is about. */
export function variantOf(base: Base): Variant {
  const { variants, id } = operationOf(base.operation);
  const counted = variants.filter((variant) => variant.counted);
  const found = base.variant === undefined ? counted[0] : counted.find(({ name }) => name === base.variant);
  if (found === undefined) throw new Error(`${id} has no variant ${base.variant ?? 'that counts'}.`);
  return found;
}

function labelled<T>(
  constraint: RequestConstraint,
  cases: Cases<T>,
  input: (request: T) => CallInput,
): Planned[] {
  const { subject, pointer, keyword } = constraint;
  const name = `${subject}:${pointer}#${keyword}`;
  const valid = (i: number): string => `${name}.valid${i === 0 ? '' : i + 1}`;
  const keeping = cases.keeping.map(
    (request, i): Planned => ({
      probe: { id: valid(i), pointer, keyword, side: 'valid', control: null },
      input: input(request),
    }),
  );
  const breaking = cases.breaking.map(
    ({ request, control }, i): Planned => ({
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
