// Constraints become requirements, so their ids must not depend on the order of schemas.
import type { Basis, Level } from '../requirements/requirement.ts';
import { JSON_KINDS, type JsonKind, jsonKindOfType } from '../trace/json.ts';
import { ASSERTIONS, type InstanceStep, pathText, type SchemaMember, type SchemaNode } from './node.ts';

/** Keywords that limit a number or a size: a value at the limit is valid, one just beyond it is not. */
export const LIMIT_KEYWORDS: ReadonlySet<string> = new Set(
  Object.keys(ASSERTIONS).filter((keyword) => /^m(in|ax)/.test(keyword)),
);

/** `path` and `steps` lead to the value that breaks the constraint, even an absent one. */
export interface SchemaConstraint extends Pick<SchemaNode, 'path' | 'steps' | 'spec' | 'open'> {
  /** A keyword of the schema, `expected`, or the name of a conditional rule; the last part of the id. */
  readonly keyword: string;
  /** The keyword's value; true for `required` and `expected`, a ConditionalRule for a rule. */
  readonly value: unknown;
  readonly level: Level;
  readonly basis: Basis;
  readonly node: SchemaNode;
  /** A visit of `node` counts if the visited value has one of these types. */
  readonly kinds: readonly JsonKind[];
}

export function* constraintsOf(node: SchemaNode): Generator<SchemaConstraint> {
  yield* ownConstraints(node);
  for (const member of node.members) {
    if (member.required || member.expected) yield presenceConstraint(node, member);
    yield* constraintsOf(member.node);
  }
  if (node.keys !== null) yield* constraintsOf(node.keys);
  if (node.values !== null) yield* constraintsOf(node.values);
  if (node.items !== null) yield* constraintsOf(node.items);
  if (node.union === null) return;
  if (node.union.by === 'tag') yield* tagConstraints(node, node.union);
  for (const branch of node.union.branches) yield* constraintsOf(branch.node);
}

/** The id of a constraint, and of the requirement on responses that it becomes: `file:bytes#type`. */
export function constraintId(tree: string, path: string, keyword: string): string {
  return `${tree}:${path}#${keyword}`;
}

function* ownConstraints(node: SchemaNode): Generator<SchemaConstraint> {
  const { path, steps, spec, basis, open } = node;
  const common = { path, steps, spec, basis, open, level: 'MUST', node } as const;
  if (node.types !== null && node.typed) {
    const counter = node.typeCounter ?? node;
    yield { ...common, keyword: 'type', value: node.types, node: counter, kinds: JSON_KINDS };
  }
  const allowed = node.types === null ? JSON_KINDS : [...new Set(node.types.map(jsonKindOfType))];
  for (const { keyword, value } of node.assertions) {
    const kinds = ASSERTIONS[keyword]?.map(jsonKindOfType) ?? [];
    yield {
      ...common,
      keyword,
      value,
      basis: isLoneMinimum(node, keyword) ? 'implied' : basis,
      kinds: kinds.length === 0 ? allowed : kinds,
    };
  }
  for (const rule of node.rules) {
    const { name: keyword, spec: section, basis: ruleBasis, node: counter } = rule;
    const source = { spec: section, basis: ruleBasis, open: counter.open };
    yield { ...common, ...source, keyword, value: rule, node: counter, kinds: JSON_KINDS };
  }
}

/** Whether it is a minimum without a maximum, as counts have: the specification only implies such a minimum. */
function isLoneMinimum({ assertions }: SchemaNode, keyword: string): boolean {
  return keyword === 'minimum' && !assertions.some((one) => one.keyword === 'maximum');
}

function presenceConstraint(node: SchemaNode, { node: child, required }: SchemaMember): SchemaConstraint {
  return {
    path: child.path,
    steps: child.steps,
    keyword: required ? 'required' : 'expected',
    value: true,
    spec: child.spec,
    level: required ? 'MUST' : 'SHOULD',
    basis: node.basis,
    open: child.open,
    node,
    kinds: ['object'],
  };
}

function* tagConstraints(
  node: SchemaNode,
  union: Extract<SchemaNode['union'], { by: 'tag' }>,
): Generator<SchemaConstraint> {
  const steps: InstanceStep[] = [...node.steps, { step: 'property', name: union.property }];
  const { basis, open } = node;
  const place = { path: pathText(steps), steps, spec: union.spec };
  const common = { ...place, basis, open, level: 'MUST', node } as const;
  const kinds = ['object'] as const;
  if (union.branches.some((branch) => branch.tags === null)) {
    yield { ...common, keyword: 'required', value: true, kinds };
    yield { ...common, keyword: 'type', value: ['string'], kinds };
    return;
  }
  const value = union.branches.flatMap((branch) => branch.tags ?? []);
  yield { ...common, keyword: 'enum', value, kinds };
}
