import {
  type ProbeSide,
  probedSides,
  type RequestConstraint,
} from '../../judge/probe/request-constraints.ts';
import type { SchemaConstraint } from '../../judge/schema/constraints.ts';
import type { ConditionalRule } from '../../judge/schema/node.ts';
import { responseConstraints } from '../../judge/schema/response-schemas.ts';
import { conditionalRuleIn } from '../../judge/schema/sentence.ts';
import { type JsonSchema, perSpecification } from '../../schemas/index.ts';
import { isObject } from '../../schemas/json.ts';

/** In the order of the report's columns. All other kinds share one more column. */
export const MUTATION_KINDS = [
  'missing',
  'null',
  'wrong type',
  'wrong item',
  'wrong value',
  'over the limit',
  'another form',
  'wrong label',
  'no label',
  'unreadable',
  'refused',
  'failed',
  'accepted',
  'accepted without a label',
] as const;

/** Keywords whose violation only the label of a probe shows: no schema describes file contents, or which ids exist. */
const LABEL_ONLY_KEYWORDS = new Set(
  'unknown formats maxBytes square transparentUnless sameSizeAs'.split(' '),
);

export function mutationKindsOfConstraint({
  keyword,
  value,
  steps,
}: Pick<SchemaConstraint, 'keyword' | 'value' | 'steps'>): readonly string[] {
  const rule = conditionalRuleIn(value);
  if (rule !== null) return mutationKindsOfRule(rule);
  switch (keyword) {
    case 'required':
    case 'expected':
      return ['missing'];
    case 'type':
      // Null has its own kind, because `typeof` treats it as an object.
      // Array elements have their own kind, because each of them must be checked.
      return [
        ...([value].flat().includes('null') ? [] : ['null']),
        steps.at(-1)?.step === 'items' ? 'wrong item' : 'wrong type',
      ];
    case 'enum':
    case 'const':
      return ['wrong value'];
    case 'pattern':
    case 'format':
      return ['another form'];
    default:
      return ['over the limit'];
  }
}

function mutationKindsOfRule({ demand }: ConditionalRule): readonly string[] {
  const kinds = new Set<string>();
  for (const schema of subschemas(demand)) {
    for (const name of Array.isArray(schema['required']) ? schema['required'] : [])
      kinds.add(partMutationKind(String(name), 'missing'));
    for (const [name, inner] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {}))
      if (isObject(inner) && ['type', 'const', 'enum'].some((keyword) => keyword in inner))
        kinds.add(partMutationKind(name, 'wrong'));
  }
  return [...kinds];
}

export function partMutationKind(property: string, how: 'missing' | 'wrong'): string {
  return `${property} ${how}`;
}

function* subschemas(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  // No conditional rule restricts array elements, so items are skipped.
  const properties = isObject(schema['properties']) ? Object.values(schema['properties']) : [];
  for (const inner of [...properties, ...schemaList(schema['allOf'])])
    if (isObject(inner)) yield* subschemas(inner);
}

export function schemaList(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Mutants without a label exist only if the request itself shows the violation. */
function mutationKindsOfProbe(
  { keyword, node }: Pick<RequestConstraint, 'keyword' | 'node'>,
  side: ProbeSide,
): readonly string[] {
  // Only a rejection or a server error violates acceptance.
  if (side === 'accepted') return ['refused', 'failed'];
  // Valid model names depend on the configuration of a target, so an unlabelled request shows no violation.
  const isModelName = keyword === 'enum' && node.notes['x-model-role'] !== undefined;
  return isModelName || LABEL_ONLY_KEYWORDS.has(keyword)
    ? ['accepted']
    : ['accepted', 'accepted without a label'];
}

export const mutationKindsOfProbes = perSpecification(
  (): ReadonlyMap<string, readonly string[]> =>
    new Map(
      [...probedSides()].map(([id, { constraint, side }]) => [id, mutationKindsOfProbe(constraint, side)]),
    ),
);

export function mutationKindsOfResponse(id: string): readonly string[] {
  const constraint = responseConstraints().get(id);
  if (constraint !== undefined) return mutationKindsOfConstraint(constraint);
  return id.endsWith('#json') ? ['unreadable'] : ['wrong label', 'no label'];
}
