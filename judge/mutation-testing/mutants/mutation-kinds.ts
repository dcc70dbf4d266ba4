import type { ProbeSide, RequestConstraint } from '../../probe/constraints.ts';
import type { SchemaConstraint } from '../../schema/constraints.ts';
import { conditionalRuleIn } from '../../schema/sentence.ts';
import type { ConditionalRule } from '../../schema/tree/node.ts';
import { isJsonSchema, subschemas } from './json-schema.ts';

/**
 * The kinds of ways in which a requirement of a schema can be broken. Those of a rule across properties and of a
 * hand-written requirement are named by what they break; see `docs/proof.md`.
 */
export type MutationKind =
  | 'missing'
  | 'null'
  | 'wrong type'
  | 'wrong item'
  | 'wrong value'
  | 'over the limit'
  | 'another form'
  | 'wrong label'
  | 'no label'
  | 'unreadable'
  | 'refused'
  | 'failed'
  | 'accepted'
  | 'accepted without a label';

/** In the order of the columns of a matrix. */
export const MUTATION_KINDS: readonly MutationKind[] = [
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
];

/** Every kind that applies to a constraint of an answer. */
export function mutationKindsOfConstraint({
  keyword,
  value,
  steps,
}: Pick<SchemaConstraint, 'keyword' | 'value' | 'steps'>): readonly string[] {
  const rule = conditionalRuleIn(value);
  if (rule !== null) return kindsOfRule(rule);
  switch (keyword) {
    case 'required':
    case 'expected':
      return ['missing'];
    case 'type':
      return [...([value].flat().includes('null') ? [] : ['null']), typeMutationKind(steps)];
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

/** What another type in place of the right one is called: of the elements of an array each has to be looked at. */
function typeMutationKind(steps: SchemaConstraint['steps']): MutationKind {
  return steps.at(-1)?.step === 'items' ? 'wrong item' : 'wrong type';
}

/** Of a rule across properties each thing that it demands can be missing, or be wrong. */
function kindsOfRule({ demand }: ConditionalRule): readonly string[] {
  const kinds = new Set<string>();
  for (const schema of subschemas(demand)) {
    for (const name of Array.isArray(schema['required']) ? schema['required'] : [])
      kinds.add(partMutationKind(String(name), 'missing'));
    for (const [name, inner] of Object.entries(
      isJsonSchema(schema['properties']) ? schema['properties'] : {},
    ))
      if (isJsonSchema(inner) && saysSomething(inner)) kinds.add(partMutationKind(name, 'wrong'));
  }
  return [...kinds];
}

export function partMutationKind(property: string, how: 'missing' | 'wrong'): string {
  return `${property} ${how}`;
}

function saysSomething(schema: object): boolean {
  return 'type' in schema || 'const' in schema || 'enum' in schema;
}

/** Violations that only the label of a probe tells: no schema sees what is in a file, nor which ids there are. */
const LABELLED = new Set([
  'unknown',
  'formats',
  'maxBytes',
  'square',
  'transparentUnless',
  'sameSizeAs',
]) as ReadonlySet<string>;

/** Every kind that applies to a constraint of a request. */
export function mutationKindsOfProbe(
  { keyword, node }: Pick<RequestConstraint, 'keyword' | 'node'>,
  side: ProbeSide,
): readonly string[] {
  if (side === 'accepted') return ['refused', 'failed'];
  const isNamed = keyword === 'enum' && node.notes['x-model-role'] !== undefined;
  return isNamed || LABELLED.has(keyword) ? ['accepted'] : ['accepted', 'accepted without a label'];
}

/** Every kind that applies to what each answer has to be, by the end of the id: `listModels:answer#json`. */
export function mutationKindsOfEnvelope(id: string): readonly string[] {
  return id.endsWith('#json') ? ['unreadable'] : ['wrong label', 'no label'];
}
