import { bodyTree } from '../../judge/probe/request-constraints.ts';
import { violationsOf } from '../../judge/probe/request-violations.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import { pointerTokens } from '../../schemas/pointer.ts';
import { isSameModel } from '../rows/model-names.ts';
import type { CodeOf } from '../rows/rows.ts';
import {
  anotherValue,
  extendedValue,
  inResponseWhere,
  reducedValue,
  removeIn,
  setIn,
  setValue,
} from '../vocabulary/changes.ts';
import { briefValue, containsRequested, isEmpty } from '../vocabulary/compare.ts';
import { arrayAt, deepEqual, isObject, valueAtPath } from '../vocabulary/json.ts';
import { responses, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type {
  Call,
  Evidence,
  Exchange,
  Json,
  Mutation,
  ResponseEvidence,
  Violation,
} from '../vocabulary/types.ts';
import { type EchoedField, echoedFields, ownerFields } from './objects.ts';
import type { Resource } from './resources.ts';
import { type TemplateParameters, withAnyEvidence } from './templates.ts';

export function sentField({ request }: Exchange, field: string): Json | undefined {
  return valueAtPath(request.body.json?.value, field);
}

export function answersOf({ variant }: Resource, operation: string | readonly string[]) {
  return responses(operation, variant === undefined ? {} : { variant });
}

interface FieldRelation {
  readonly parameters: TemplateParameters;
  readonly codeOf: (rule: string) => CodeOf<Evidence>;
}

/**
 * The fields to which the rows of `fields.json` apply: owner ids, and fields that a response repeats from its request.
 */
export function fieldRelations(resource: Resource): readonly FieldRelation[] {
  const { create, modify } = resource;
  return [
    ...ownerFields(resource).map((field) => ({
      parameters: { field, fieldId: field.replaceAll('_', '-'), isOwner: true },
      codeOf: () => ownerCode(resource, field),
    })),
    ...(create === undefined ? [] : echoRelations(resource, create, 'create')),
    ...(modify === undefined ? [] : echoRelations(resource, modify, 'modify')),
  ];
}

function ownerCode(resource: Resource, field: string): CodeOf<Evidence> {
  const { create, retrieve, modify, list } = resource;
  const operations = [retrieve, create, modify, list].filter((id) => id !== undefined);
  return withAnyEvidence({
    evidence: where(
      answersOf(resource, operations),
      that(
        'that is an object or a list with elements',
        ({ call, answer }) => call.operation.id !== list || arrayAt(answer, 'data').length > 0,
      ),
    ),
    broken_by: Object.fromEntries(
      operations.map((id) => [
        `another one by ${id}`,
        setIn(id, `${id === list ? '/data/*' : ''}/${field}`, 'id_of_another'),
      ]),
    ),
  });
}

function echoRelations(
  resource: Resource,
  operation: string,
  verb: 'create' | 'modify',
): readonly FieldRelation[] {
  return echoedFields(resource, operation, verb).map((echoed) => {
    const { name: field, node } = echoed;
    const defaultValue = (node.notes['default'] ?? null) as Json; // as: schemas are JSON
    const verbNoun = verb === 'create' ? 'creation' : 'modification';
    return {
      parameters: {
        field,
        fieldId: field.replaceAll('_', '-'),
        verb,
        verbNoun,
        operationSpec: operationOf(operation).spec,
        // A default of null only says that the field is optional.
        ...(defaultValue !== null && { default: JSON.stringify(defaultValue) }),
      },
      codeOf: (rule) =>
        withAnyEvidence(
          rule.startsWith('create.default')
            ? defaultCode(resource, operation, field, defaultValue)
            : echoCode(resource, operation, verb, echoed),
        ),
    };
  });
}

function echoCode(
  resource: Resource,
  operation: string,
  verb: 'create' | 'modify',
  { name: field, isOptional }: EchoedField,
): CodeOf<ResponseEvidence> {
  const editRequested = (edit: (value: Json | undefined) => Json): Mutation =>
    inResponseWhere(
      operation,
      (one) => (sentField(one, field) ?? null) !== null,
      setValue(`/${field}`, edit),
    );
  return {
    evidence: where(
      answersOf(resource, operation),
      that(`in a version with ${field}`, ({ call }) => hasField(call, field)),
      ...(isOptional
        ? [that<ResponseEvidence>(`with ${field}`, ({ answer }) => valueAtPath(answer, field) !== undefined)]
        : []),
    ),
    check: (evidence) => echoViolations(evidence, field, verb),
    broken_by: {
      'another one': editRequested(anotherValue),
      'cut short': editRequested(reducedValue),
      ...(isOptional ? {} : { 'left out': removeIn(operation, `/${field}`) }),
    },
  };
}

/** Whether the version of a request has a field: a version without it may ignore the field. */
function hasField({ variant }: Call, field: string): boolean {
  const members = variant === null ? undefined : bodyTree(variant)?.members;
  return members === undefined || members.some(({ name }) => name === field);
}

function echoViolations(
  { asked, answer, call }: ResponseEvidence,
  field: string,
  verb: 'create' | 'modify',
): Violation[] {
  const [requested, actual] = [valueAtPath(asked, field), valueAtPath(answer, field)];
  // A response may name the model behind an alias.
  if (field === 'model' && isSameModel(requested, actual)) return [];
  // The specification leaves open whether a modification removes the pairs of metadata that it does not name.
  const matches = field === 'metadata' && verb === 'create' ? deepEqual : containsRequested;
  if (isEchoed(requested, actual, matches)) return [];
  // The specification does not state the effect of a value that should be rejected. In metadata it concerns one pair.
  const rejected = violationsOf(call)
    .map(({ at }) => pointerTokens(at))
    .filter(([name]) => name === field);
  const keys = field === 'metadata' ? rejected.map(([, key]) => key) : [];
  if (keys.length < rejected.length || keys.includes(undefined)) return [];
  if (isEchoed(withoutKeys(requested, keys), withoutKeys(actual, keys), matches)) return [];
  return [violation(`/${field}`, `${briefValue(requested ?? null)}, as requested`, actual)];
}

function isEchoed(
  requested: Json | undefined,
  actual: Json | undefined,
  matches: typeof containsRequested,
): boolean {
  // An empty value may be shown as null.
  if (actual === null && requested !== undefined && isEmpty(requested)) return true;
  return matches(requested, actual);
}

function withoutKeys(map: Json | undefined, keys: readonly (string | undefined)[]): Json | undefined {
  if (keys.length === 0 || !isObject(map)) return map;
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

function defaultCode(
  resource: Resource,
  operation: string,
  field: string,
  defaultValue: Json,
): CodeOf<ResponseEvidence> {
  const leavesOut = (exchange: Exchange): boolean => sentField(exchange, field) === undefined;
  return {
    evidence: answersOf(resource, operation),
    check: ({ answer }) => {
      const actual = valueAtPath(answer, field);
      if (deepEqual(actual, defaultValue)) return [];
      return [violation(`/${field}`, JSON.stringify(defaultValue), actual)];
    },
    broken_by: {
      'another one': inResponseWhere(operation, leavesOut, setValue(`/${field}`, anotherValue)),
      'one more': inResponseWhere(operation, leavesOut, setValue(`/${field}`, extendedValue)),
    },
  };
}
