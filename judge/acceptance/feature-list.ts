// The features that requests can have according to their schemas; baselines and dialects name no others.
import { type Operation, perSpecification, type Variant } from '../../schemas/index.ts';
import { bodyTree, subjects } from '../probe/constraints.ts';
import { causeId, causeParts, FEATURELESS_CAUSES } from '../requirements/refusals.ts';
import { childrenOf, type SchemaNode } from '../schema/node.ts';
import { EXCEPTIONS } from './accepted-request.ts';
import { SIZE_FEATURES } from './body-size.ts';
import { nodeFeatures } from './features.ts';
import { MOMENT_FEATURES } from './moments.ts';

/** Sorted features by subject, without `COMMON_FEATURES`. A cause is one of them, or several joined by `&`. */
export const listedFeatures = perSpecification(
  (): ReadonlyMap<string, readonly string[]> =>
    new Map(
      subjects()
        .filter(({ operation }) => !Object.hasOwn(EXCEPTIONS, operation.id))
        .map(({ operation, variant, subject }) => [subject, featuresOf(operation, variant)] as const),
    ),
);

export const COMMON_FEATURES: readonly string[] = [
  ...MOMENT_FEATURES,
  ...SIZE_FEATURES,
  ...Object.values(FEATURELESS_CAUSES),
];

/** Ids of all causes with a single feature: `createChatCompletion:accepts#body.n>1`. */
export function listedCauses(): readonly string[] {
  return [...listedFeatures()].flatMap(([subject, own]) =>
    [...own, ...COMMON_FEATURES].map((feature) => causeId(subject, feature)),
  );
}

export function isKnownCause(id: string): boolean {
  const parts = causeParts(id);
  const own = parts === null ? undefined : listedFeatures().get(parts.requirement.replace(/:accepts$/, ''));
  if (parts === null || own === undefined) return false;
  return parts.feature.split('&').every((one) => own.includes(one) || COMMON_FEATURES.includes(one));
}

function featuresOf(operation: Operation, variant: Variant): readonly string[] {
  const found = new Set<string>();
  for (const { in: place, name, schema } of operation.parameters)
    if (place === 'query') for (const one of parameterFeatures(`query.${name}`, schema)) found.add(one);
  const tree = bodyTree(variant);
  if (tree !== null) for (const one of treeFeatures(tree)) found.add(one);
  return [...found].sort();
}

function parameterFeatures(name: string, schema: Readonly<Record<string, unknown>>): readonly string[] {
  const { enum: listed } = schema;
  if (Array.isArray(listed)) return [name, ...listed.map((value) => `${name}=${JSON.stringify(value)}`)];
  return [
    name,
    ...['minimum', 'maximum'].filter((bound) => bound in schema).map((bound) => `${name}=${bound}`),
  ];
}

function* treeFeatures(node: SchemaNode): Generator<string> {
  if (node.path !== '') for (const { name, isListed } of nodeFeatures(node)) if (isListed) yield name;
  for (const inner of childrenOf(node)) yield* treeFeatures(inner);
}
