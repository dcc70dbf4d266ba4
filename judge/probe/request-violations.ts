import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { type JsonSchema, perSpecification } from '../../schemas/index.ts';
import { groupBy } from '../../schemas/maps.ts';
import type { RequestViolation } from '../requirements/evaluator.ts';
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
} from './request-constraints.ts';

interface BodyConstraint {
  readonly origin: RequestViolation['origin'];
  readonly constraint: SchemaConstraint;
}

const bodySchemas = perSpecification(assembleBodySchemas);

/** The violations of an unreadable body are unknown, and left out. */
export function violationsOf(call: Call): RequestViolation[] {
  return [
    ...bodyViolationsOf(call),
    ...sentParameters(call).flatMap(([constraint, text]) => queryViolation(constraint, text) ?? []),
  ];
}

export function bodyInspector(): SchemaInspector {
  return bodySchemas().inspector;
}

export function bodyConstraints(): Iterable<BodyConstraint> {
  return bodySchemas().constraints.values();
}

/** Null if the body is unspecified, unjudged, unrecorded or unreadable. */
export function bodyOf(call: Call): { readonly tree: SchemaNode; readonly value: Json } | null {
  const { operation, variant } = call;
  if (variant === null || variant.body === null || !variant.counted || !call.holdsRequest) return null;
  const tree = bodySchemas().trees.get(subjectOf(operation, variant));
  const value = variant.body.carrier === 'json' ? call.sentJson : formValue(call, tree);
  return tree === undefined || value === undefined ? null : { tree, value };
}

export function holdsFor(schema: JsonSchema, value: Json): boolean {
  return bodySchemas().inspector.holds(schema, value);
}

export function bodyViolationsOf(call: Call, visits?: VisitCounts): RequestViolation[] {
  const { operation, variant } = call;
  const body = bodyOf(call);
  if (variant === null || body === null) return [];
  const subject = subjectOf(operation, variant);
  const { value } = body;
  const { inspector, constraints, visits: unusedVisits } = bodySchemas();
  return inspector.inspect(subject, value, visits ?? unusedVisits).flatMap(({ id: brokenId, at, actual }) => {
    const bodyConstraint = constraints.get(brokenId);
    if (bodyConstraint === undefined) return [];
    const { origin, constraint } = bodyConstraint;
    // Null counts as an absent field.
    if (actual === null && constraint.keyword === 'type') return [];
    // A target may offer models with other names; only a probe names a model that does not exist.
    if (constraint.node.notes['x-model-role'] !== undefined && constraint.keyword === 'enum') return [];
    const id = probeRequirementId(origin, 'rejected');
    return [{ id, origin, at, expected: constraintPhrase(constraint), actual }];
  });
}

export function sentParameters({
  operation,
  variant,
  query,
}: Call): readonly (readonly [constraint: RequestConstraint, text: string])[] {
  if (variant === null || query.size === 0) return [];
  return (queryConstraints().get(subjectOf(operation, variant)) ?? []).flatMap((constraint) => {
    const text = query.get(constraint.pointer.slice('query.'.length));
    return text === null ? [] : [[constraint, text] as const];
  });
}

const queryConstraints = perSpecification((): ReadonlyMap<string, readonly RequestConstraint[]> => {
  const constraints = [...requestConstraints()].filter(({ carrier }) => carrier === 'query');
  return groupBy(constraints, ({ subject }) => subject);
});

export function queryViolation(constraint: RequestConstraint, text: string): RequestViolation | null {
  if (satisfies(constraint, text)) return null;
  const at = `query ${constraint.pointer.slice('query.'.length)}`;
  const id = probeRequirementId(constraint, 'rejected');
  return { id, origin: constraint, at, expected: constraintPhrase(constraint), actual: text };
}

function satisfies({ keyword, value }: RequestConstraint, text: string): boolean {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  switch (keyword) {
    case 'enum':
      return !Array.isArray(value) || value.includes(text);
    case 'type':
      return (
        !isNumeric(value) || (value.includes('number') ? Number.isFinite(number) : Number.isInteger(number))
      );
    // A text that is not a finite number violates only `type`.
    case 'minimum':
      return !Number.isFinite(number) || number >= Number(value);
    case 'maximum':
      return !Number.isFinite(number) || number <= Number(value);
    case 'maxLength':
      return [...text].length <= Number(value);
    default:
      return true;
  }
}

function isNumeric(types: unknown): types is unknown[] {
  return Array.isArray(types) && types.every((type) => type === 'integer' || type === 'number');
}

function formValue(call: Call, tree: SchemaNode | undefined): Json | undefined {
  const parts = formDataParts(call.exchange.request);
  const { sentJson } = call;
  if (parts === null || tree === undefined || typeof sentJson !== 'object') return undefined;
  const fields = new Map<string, Json>();
  for (const [name, value] of Object.entries(sentJson ?? {})) {
    const node = tree.members.find((one) => one.name === name)?.node;
    const elements = node?.types?.includes('array') === true ? [value].flat() : null;
    fields.set(
      name,
      elements?.map((one) => parseFormText(one, node?.items?.types)) ?? parseFormText(value, node?.types),
    );
  }
  for (const { name, filename } of parts) if (name !== null && filename !== null) fields.set(name, filename);
  return Object.fromEntries(fields);
}

/** A form contains only text: returns the number or boolean that it denotes if the schema has that type. */
function parseFormText(value: Json, types: SchemaNode['types'] = null): Json {
  if (typeof value !== 'string' || types === null) return value;
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = types.some((type) => type === 'integer' || type === 'number');
  const number = value.trim() === '' ? Number.NaN : Number(value);
  return isNumber && Number.isFinite(number) ? number : value;
}

function assembleBodySchemas() {
  const trees = new Map<string, SchemaNode>();
  const constraints = new Map<string, BodyConstraint>();
  for (const { variant, subject } of subjects()) {
    const tree = bodyTree(variant);
    if (tree === null) continue;
    trees.set(subject, tree);
    for (const constraint of constraintsOf(tree)) {
      const { path, keyword } = constraint;
      const origin = { subject, pointer: pointerOf(tree, constraint), keyword };
      constraints.set(constraintId(subject, path, keyword), { origin, constraint });
    }
  }
  const inspector = new SchemaInspector(trees, generatedValidators('requests'));
  return { trees, constraints, inspector, visits: inspector.createVisitCounts() };
}
