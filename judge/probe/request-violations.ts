import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { groupBy } from '../../schemas/grouping.ts';
import { type JsonSchema, perSpecification } from '../../schemas/index.ts';
import type { RequestViolation } from '../requirements/catalogue.ts';
import { constraintId, constraintsOf, type SchemaConstraint } from '../schema/constraints.ts';
import { generatedValidators } from '../schema/generated-validators.ts';
import type { SchemaNode } from '../schema/node.ts';
import { SchemaInspector, type VisitCounts } from '../schema/schema-inspector.ts';
import { constraintPhrase } from '../schema/sentence.ts';
import type { Call } from '../trace/call.ts';
import {
  bodyTree,
  pointerOf,
  probeRequirementId,
  type RequestConstraint,
  requestConstraints,
  subjectOf,
  subjects,
} from './constraints.ts';

interface Bodies {
  readonly trees: ReadonlyMap<string, SchemaNode>;
  readonly inspector: SchemaInspector;
  readonly visits: VisitCounts;
  readonly rules: ReadonlyMap<string, BodyConstraint>;
}

interface BodyConstraint {
  readonly of: RequestViolation['of'];
  readonly constraint: SchemaConstraint;
}

const bodies = perSpecification(assembleBodies);

/** The constraints that an unlabelled request violates; empty if the variant is unknown or the body cannot be read. */
export function violationsOf(call: Call): RequestViolation[] {
  return [
    ...bodyViolationsOf(call),
    ...sentParameters(call).flatMap(([constraint, given]) => queryViolation(constraint, given) ?? []),
  ];
}

export function bodyInspector(): SchemaInspector {
  return bodies().inspector;
}

export function bodyConstraints(): Iterable<BodyConstraint> {
  return bodies().rules.values();
}

/** The body of a request as JSON, with the tree of its schema; null if it cannot be read. */
export function bodyOf(call: Call): { readonly tree: SchemaNode; readonly value: Json } | null {
  const { operation, variant } = call;
  if (variant === null || variant.body === null || !variant.counted || !call.holdsRequest) return null;
  const tree = bodies().trees.get(subjectOf(operation, variant));
  const value = variant.body.carrier === 'json' ? call.sentJson : formValue(call, tree);
  return tree === undefined || value === undefined ? null : { tree, value };
}

export function holdsFor(schema: JsonSchema, value: Json): boolean {
  return bodies().inspector.holds(schema, value);
}

/** Violations in a JSON or form body. Visited places are added to `visits`. */
export function bodyViolationsOf(call: Call, visits?: VisitCounts): RequestViolation[] {
  const { operation, variant } = call;
  const body = bodyOf(call);
  if (variant === null || body === null) return [];
  const subject = subjectOf(operation, variant);
  const { value } = body;
  const { inspector, rules, visits: unused } = bodies();
  return inspector.inspect(subject, value, visits ?? unused).flatMap(({ id: place, at, actual }) => {
    const rule = rules.get(place);
    // Null counts as an absent field.
    if (rule === undefined || (actual === null && rule.constraint.keyword === 'type')) return [];
    // A target may offer models with other names; only a probe names a model that does not exist.
    if (rule.constraint.node.notes['x-model-role'] !== undefined && rule.constraint.keyword === 'enum')
      return [];
    const id = probeRequirementId(rule.of, 'rejected');
    return [{ id, of: rule.of, at, expected: constraintPhrase(rule.constraint), actual }];
  });
}

/** The constraints on the query parameters that a call sends, each with the text that was sent. */
export function sentParameters({
  operation,
  variant,
  query,
}: Call): readonly (readonly [constraint: RequestConstraint, given: string])[] {
  if (variant === null || query.size === 0) return [];
  return (queryConstraints().get(subjectOf(operation, variant)) ?? []).flatMap((constraint) => {
    const given = query.get(constraint.pointer.slice('query.'.length));
    return given === null ? [] : [[constraint, given] as const];
  });
}

const queryConstraints = perSpecification((): ReadonlyMap<string, readonly RequestConstraint[]> => {
  const constraints = [...requestConstraints()].filter(({ carrier }) => carrier === 'query');
  return groupBy(constraints, ({ subject }) => subject);
});

/** How the text of a query parameter violates a constraint; null if it satisfies it. */
export function queryViolation(constraint: RequestConstraint, given: string): RequestViolation | null {
  if (satisfies(constraint, given)) return null;
  const name = constraint.pointer.slice('query.'.length);
  const id = probeRequirementId(constraint, 'rejected');
  return { id, of: constraint, at: `query ${name}`, expected: constraintPhrase(constraint), actual: given };
}

function satisfies({ keyword, value }: RequestConstraint, given: string): boolean {
  const number = given.trim() === '' ? Number.NaN : Number(given);
  switch (keyword) {
    case 'enum':
      return !Array.isArray(value) || value.includes(given);
    case 'type':
      return (
        !isNumeric(value) || (asksForInteger(value) ? Number.isInteger(number) : Number.isFinite(number))
      );
    // A text that is not a number violates only `type`.
    case 'minimum':
      return Number.isNaN(number) || number >= Number(value);
    case 'maximum':
      return Number.isNaN(number) || number <= Number(value);
    case 'maxLength':
      return [...given].length <= Number(value);
    default:
      return true;
  }
}

function asksForInteger(types: unknown): boolean {
  return Array.isArray(types) && types.length === 1 && types[0] === 'integer';
}

function isNumeric(types: unknown): boolean {
  return Array.isArray(types) && types.every((type) => type === 'integer' || type === 'number');
}

function formValue(call: Call, tree: SchemaNode | undefined): Json | undefined {
  const parts = formDataParts(call.exchange.request);
  const { sentJson: asked } = call;
  if (parts === null || tree === undefined || typeof asked !== 'object') return undefined;
  const fields: Record<string, Json> = {};
  for (const [name, value] of Object.entries(asked ?? {})) {
    const member = tree.members.find((one) => one.name === name);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
    const isNumber = member?.node.types?.some((type) => type === 'integer' || type === 'number');
    fields[name] = isNumber === true && Number.isFinite(number) ? number : value;
    if (member?.node.types?.includes('array') === true && !Array.isArray(value)) fields[name] = [value];
  }
  for (const { name, filename } of parts) if (name !== null && filename !== null) fields[name] = filename;
  return fields;
}

function assembleBodies(): Bodies {
  const trees = new Map<string, SchemaNode>();
  const rules = new Map<string, BodyConstraint>();
  for (const { variant, subject } of subjects()) {
    const tree = bodyTree(variant);
    if (tree === null) continue;
    trees.set(subject, tree);
    for (const constraint of constraintsOf(tree)) {
      const { path, keyword } = constraint;
      const of = { subject, pointer: pointerOf(tree, constraint), keyword };
      rules.set(constraintId(subject, path, keyword), { of, constraint });
    }
  }
  const inspector = new SchemaInspector(trees, generatedValidators('requests'));
  return { trees, rules, inspector, visits: inspector.visits() };
}
