import {
  type Operation,
  operation as operationOf,
  operations,
  type Parameter,
  perSpecification,
  resolveRef,
  schema,
  type Variant,
} from '../../schemas/index.ts';
import { getOrMake, groupBy } from '../../schemas/maps.ts';
import { buildInlineTree, buildTree } from '../schema/build-tree.ts';
import { constraintsOf, type SchemaConstraint } from '../schema/constraints.ts';
import type { InstanceStep, SchemaNode } from '../schema/node.ts';
import { conditionalRuleIn } from '../schema/sentence.ts';

const bodyTrees = new WeakMap<Variant, SchemaNode>();

export type ConstraintCarrier = 'json' | 'multipart' | 'file' | 'query' | 'path';

export type ProbeSide = 'accepted' | 'rejected';

export interface RequestConstraint extends Pick<SchemaConstraint, 'steps' | 'spec' | 'basis' | 'open'> {
  readonly operation: string;
  /** `v1` or `v2` by the beta header, or `only` for an operation with one form. */
  readonly variant: Variant['name'];
  readonly subject: string;
  readonly carrier: ConstraintCarrier;
  /** The place, as in the label of a probe: `body.temperature`, `query.limit`, `path.file_id`, `file.image`. */
  readonly pointer: string;
  /** A JSON Schema keyword, a rule for files, the name of a rule across fields, or `unknown` for ids. */
  readonly keyword: string;
  /** Value of the keyword, such as 2 for `maximum`; null for `unknown`, and for `required` of a whole body or query. */
  readonly value: unknown;
  readonly node: SchemaNode;
  readonly sides: readonly ProbeSide[];
}

const schemaLibrary = { schema, resolveRef };
const BOTH_SIDES = ['accepted', 'rejected'] as const;
const ONLY_ACCEPTED = ['accepted'] as const;
const ONLY_REJECTED = ['rejected'] as const;
const TEXT_KEYWORDS = new Set(['required', 'enum', 'const', 'minimum', 'maximum', 'maxLength', 'maxItems']);
const NUMERIC_TYPES = new Set(['integer', 'number']);

export interface Subject {
  readonly operation: Operation;
  readonly variant: Variant;
  /** The operation's id, with the variant's name if the specification has several: `createAssistant.v2`. */
  readonly subject: string;
}

export const subjects = perSpecification((): readonly Subject[] =>
  operations().flatMap((operation) =>
    operation.variants
      .filter(({ counted }) => counted)
      .map((variant) => ({ operation, variant, subject: subjectOf(operation, variant) })),
  ),
);

export const requestConstraints = perSpecification((): readonly RequestConstraint[] =>
  subjects().flatMap((subject) => [...constraintsOfRequest(subject)]),
);

const byOperation = perSpecification(() => groupBy(requestConstraints(), ({ operation }) => operation));

export function constraintsOfOperation(operation: string): readonly RequestConstraint[] {
  return byOperation().get(operation) ?? [];
}

/** The id of a requirement: `createChatCompletion:body.temperature#maximum.rejected`. */
export function probeRequirementId(
  constraint: Pick<RequestConstraint, 'subject' | 'pointer' | 'keyword'>,
  side: ProbeSide,
): string {
  return `${constraint.subject}:${constraint.pointer}#${constraint.keyword}.${side}`;
}

export const probedSides = perSpecification(
  (): ReadonlyMap<string, { readonly constraint: RequestConstraint; readonly side: ProbeSide }> =>
    new Map(
      requestConstraints().flatMap((constraint) =>
        constraint.sides.map((side) => [probeRequirementId(constraint, side), { constraint, side }] as const),
      ),
    ),
);

export function subjectOf(operation: Operation, variant: Variant): string {
  const variants = operation.variants.filter(({ counted }) => counted);
  return variants.length > 1 ? `${operation.id}.${variant.name}` : operation.id;
}

/**
 * Whether refusing a violation is only recommended, because no mark in the specification calls for it: an id that no
 * object has, or the absence of a member that a shape shows without a mark.
 */
export function isUnmarked({ keyword, node }: Pick<RequestConstraint, 'keyword' | 'node'>): boolean {
  return keyword === 'unknown' || (keyword === 'required' && node.notes['x-unmarked'] === true);
}

/** Whether null must be accepted: the schema lists it as a type, and no choice (`x-null`) leaves it open. */
export function demandsNull({ types, notes }: SchemaNode): boolean {
  return types?.includes('null') === true && notes['x-null'] === undefined;
}

export function bodyTree(variant: Variant): SchemaNode | null {
  if (variant.body === null) return null;
  const { schema: name } = variant.body;
  return getOrMake(bodyTrees, variant, () => buildTree(schemaLibrary, name, 'inline'));
}

export function pointerOf(tree: SchemaNode, constraint: SchemaConstraint): string {
  const carrier = fileOf(tree, constraint) === null ? 'body' : 'file';
  return constraint.path === '' ? carrier : `${carrier}.${constraint.path}`;
}

type Draft = Omit<RequestConstraint, 'operation' | 'variant' | 'subject'>;

/** Throws if two constraints would share an id. */
function* constraintsOfRequest({ operation, variant, subject }: Subject): Generator<RequestConstraint> {
  const request = { operation: operation.id, variant: variant.name, subject };
  const seen = new Set<string>();
  const parameters = operation.parameters.flatMap((parameter) => [...parameterDrafts(operation, parameter)]);
  for (const draft of [...bodyDrafts(variant), ...queryDrafts(operation), ...parameters]) {
    const sides = draft.sides.filter((side) => !isLeftOpen(draft, side));
    if (sides.length === 0) continue;
    const constraint = { ...request, ...draft, sides };
    const key = `${constraint.pointer}#${constraint.keyword}`;
    if (seen.has(key)) throw new Error(`${subject} has two constraints ${key}.`);
    seen.add(key);
    yield constraint;
  }
}

function isLeftOpen({ open, keyword }: Draft, side: ProbeSide): boolean {
  return open?.sides.includes(side) === true && (open.keywords === null || open.keywords.includes(keyword));
}

function* bodyDrafts(variant: Variant): Generator<Draft> {
  const tree = bodyTree(variant);
  if (tree === null || variant.body === null) return;
  const { carrier } = variant.body;
  yield { ...draftOfNode(tree, carrier, 'body'), keyword: 'required', value: null, sides: ONLY_ACCEPTED };
  for (const constraint of constraintsOf(tree)) {
    const file = fileOf(tree, constraint);
    if (file !== null) {
      if (constraint.keyword === 'required')
        yield { ...draftOfConstraint(tree, constraint, 'file'), sides: ONLY_REJECTED };
    } else if (carrier === 'json' || isTextual(constraint)) {
      const sides = sidesOf(constraint);
      if (sides.length > 0) yield { ...draftOfConstraint(tree, constraint, carrier), sides };
    } else if (isOptionalText(tree, constraint)) {
      // Probes break no other type in a form, because its values are text.
      yield { ...draftOfConstraint(tree, constraint, carrier), sides: ONLY_ACCEPTED };
    }
  }
  for (const member of tree.members) yield* fileDrafts(member.node);
}

function fileOf(tree: SchemaNode, { steps: [first] }: SchemaConstraint): SchemaNode | null {
  const member = tree.members.find(({ name }) => first?.step === 'property' && name === first.name);
  return member?.node.notes['x-file'] === undefined ? null : member.node;
}

function* fileDrafts(node: SchemaNode): Generator<Draft> {
  const rules = node.notes['x-file'];
  if (typeof rules !== 'object' || rules === null) return;
  for (const [keyword, value] of Object.entries(rules)) {
    yield { ...draftOfNode(node, 'file', `file.${node.path}`), keyword, value, sides: BOTH_SIDES };
  }
}

function* queryDrafts(operation: Operation): Generator<Draft> {
  const takesNothing = operation.parameters.length === 0 && operation.method === 'GET';
  if (!takesNothing && !operation.parameters.some((parameter) => parameter.in === 'query')) return;
  const empty = buildInlineTree(schemaLibrary, {}, operation.spec);
  yield { ...draftOfNode(empty, 'query', 'query'), keyword: 'required', value: null, sides: ONLY_ACCEPTED };
}

function* parameterDrafts(operation: Operation, parameter: Parameter): Generator<Draft> {
  const { name, in: place } = parameter;
  const pointer = `${place}.${name}`;
  const steps: InstanceStep[] = [{ step: 'property', name }];
  const node = buildInlineTree(schemaLibrary, parameter.schema, operation.spec);
  const draft = { ...draftOfNode(node, place, pointer), steps };
  if (place === 'path') {
    // The last id names the object, and those before it its owners; each can be unknown.
    yield { ...draft, keyword: 'unknown', value: null, sides: BOTH_SIDES };
    return;
  }
  for (const constraint of constraintsOf(node)) {
    const { keyword, value } = constraint;
    if (isTextual(constraint)) yield { ...draft, keyword, value, sides: BOTH_SIDES };
    else if (keyword === 'type') yield { ...draft, keyword, value, sides: ONLY_ACCEPTED };
  }
}

function draftOfNode(
  node: SchemaNode,
  carrier: ConstraintCarrier,
  pointer: string,
): Omit<Draft, 'keyword' | 'value' | 'sides'> {
  return { carrier, pointer, steps: node.steps, spec: node.spec, basis: node.basis, open: node.open, node };
}

function draftOfConstraint(
  tree: SchemaNode,
  constraint: SchemaConstraint,
  carrier: ConstraintCarrier,
): Omit<Draft, 'sides'> {
  const { keyword, value, steps, spec, basis, open, node } = constraint;
  return { carrier, pointer: pointerOf(tree, constraint), steps, keyword, value, spec, basis, open, node };
}

/** Whether probes break the constraint in a form or query, where every value is text. */
function isTextual({ keyword, value }: SchemaConstraint): boolean {
  if (TEXT_KEYWORDS.has(keyword) || conditionalRuleIn(value) !== null) return true;
  return keyword === 'type' && Array.isArray(value) && value.some((type) => NUMERIC_TYPES.has(type));
}

function isOptionalText(tree: SchemaNode, { keyword, steps, node }: SchemaConstraint): boolean {
  const [first, ...inner] = steps;
  if (keyword !== 'type' || first?.step !== 'property' || inner.length > 0) return false;
  const isRequired = tree.members.some(({ name, required }) => name === first.name && required);
  return !isRequired && node.items === null && !node.assertions.some((one) => one.keyword === 'enum');
}

function sidesOf({ keyword, node, steps }: SchemaConstraint): readonly ProbeSide[] {
  if (keyword === 'required') return ONLY_REJECTED;
  if (keyword === 'expected') return [];
  // Model ids depend on the configuration, except those that the specification names.
  if (node.notes['x-model-role'] !== undefined)
    return keyword === 'type' || keyword === 'enum' ? BOTH_SIDES : [];
  // The whole body is always sent as an object with the required fields.
  if (keyword === 'type' && steps.length === 0) return ONLY_REJECTED;
  return BOTH_SIDES;
}

export function pathParameterOf({ pointer }: { readonly pointer: string }): string {
  return pointer.replace(/^path\./, '');
}

/** The path parameters before this one, outermost first: they name the owners of its object. */
export function ownersBefore(operation: string, parameter: string): readonly string[] {
  const names = operationOf(operation)
    .parameters.filter((one) => one.in === 'path')
    .map(({ name }) => name);
  return names.slice(0, Math.max(0, names.indexOf(parameter)));
}
