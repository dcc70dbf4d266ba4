// The features that baselines and dialects may name: those that the schema of a request defines, and those common to
// all requests.
import { type Operation, perSpecification, type Variant } from '../../schemas/index.ts';
import { bodyTree, subjects } from '../probe/request-constraints.ts';
import { causeId, causeParts, FEATURELESS_CAUSES } from '../requirements/refusal-causes.ts';
import { childrenOf, type SchemaNode } from '../schema/node.ts';
import { REFUSABLE_OPERATIONS } from './accepted-request.ts';
import { nodeFeatures } from './body-features.ts';
import { SIZE_FEATURES } from './body-size.ts';
import { MOMENT_FEATURES } from './moments.ts';

/** Sorted features by subject, without `COMMON_FEATURES`. */
export const listedFeatures = perSpecification(
  (): ReadonlyMap<string, readonly string[]> =>
    new Map(
      subjects()
        .filter(({ operation }) => !Object.hasOwn(REFUSABLE_OPERATIONS, operation.id))
        .map(({ operation, variant, subject }) => [subject, featuresOf(operation, variant)] as const),
    ),
);

export const COMMON_FEATURES: readonly string[] = [
  ...MOMENT_FEATURES,
  ...SIZE_FEATURES,
  ...Object.values(FEATURELESS_CAUSES),
];

export function listedCauses(): readonly string[] {
  return [...listedFeatures()].flatMap(([subject, features]) =>
    [...features, ...COMMON_FEATURES].map((feature) => causeId(subject, feature)),
  );
}

/** A cause names one feature of its subject or of `COMMON_FEATURES`, or several joined by `&`. */
export function isKnownCause(id: string): boolean {
  const parts = causeParts(id);
  const listed = parts && listedFeatures().get(parts.requirement.replace(/:accepts$/, ''));
  if (!parts || !listed) return false;
  return parts.feature.split('&').every((name) => listed.includes(name) || COMMON_FEATURES.includes(name));
}

function featuresOf(operation: Operation, variant: Variant): readonly string[] {
  const features = new Set<string>();
  for (const { in: place, name, schema } of operation.parameters)
    if (place === 'query')
      for (const feature of listedParameterFeatures(`query.${name}`, schema)) features.add(feature);
  const tree = bodyTree(variant);
  if (tree !== null) for (const feature of treeFeatures(tree)) features.add(feature);
  return [...features].sort();
}

function listedParameterFeatures(name: string, schema: Readonly<Record<string, unknown>>): readonly string[] {
  const { enum: values } = schema;
  if (Array.isArray(values)) return [name, ...values.map((value) => `${name}=${JSON.stringify(value)}`)];
  return [
    name,
    ...['minimum', 'maximum'].filter((bound) => bound in schema).map((bound) => `${name}=${bound}`),
  ];
}

function* treeFeatures(node: SchemaNode): Generator<string> {
  if (node.path !== '') for (const { name, isListed } of nodeFeatures(node)) if (isListed) yield name;
  for (const inner of childrenOf(node)) yield* treeFeatures(inner);
}
