// Requirements on fields that a request sets and its response repeats, generated from the two schemas.

import { violationsOf } from '../../../judge/probe/unlabelled-violations.ts';
import { operation as operationOf } from '../../../schemas/index.ts';
import { pointerTokens } from '../../../schemas/pointer.ts';
import { namesRequestedModel } from '../../runs/selectors/echoed-fields.ts';
import {
  inResponseWhere,
  removeIn,
  requestLeavesOut,
  requestSets,
  setValue,
} from '../../vocabulary/changes.ts';
import { deepEqual, isObject, valueAtPath } from '../../vocabulary/json.ts';
import { leavesOut, responses, that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Json, Mutation, ResponseEvidence, Violation } from '../../vocabulary/types.ts';
import {
  anotherValue,
  briefValue,
  containsRequested,
  extendedValue,
  isEmpty,
  reducedValue,
} from './compare.ts';
import { type EchoedField, echoedFields, type Resource } from './resource.ts';

/**
 * A requirement for each field of the request: the response contains the requested value and, after a creation, the
 * stated default of a field that the request leaves out.
 */
export function echoRequirements(resource: Resource, operation: string, verb: 'create' | 'modify') {
  const fields = echoedFields(resource, operation, verb);
  return [
    ...fields.map((field) => keptField(resource, operation, verb, field)),
    ...(verb === 'create'
      ? fields.filter(hasDefault).map((member) => defaultField(resource, operation, member))
      : []),
  ];
}

/** The response repeats the requested value of a field. */
function keptField(resource: Resource, operation: string, verb: 'create' | 'modify', echoed: EchoedField) {
  const { area } = resource;
  const { name: field, isOptional } = echoed;
  return section(operationOf(operation).spec).implied(`${area}.${verb}.keeps-${field.replaceAll('_', '-')}`, {
    says: `The response to a ${verb === 'create' ? 'creation' : 'modification'} has the \`${field}\` of its request.`,
    selector: where(
      answersOf(resource, operation),
      // The schema of a field states the effect of null.
      that(`whose request sets ${field}`, ({ asked }) => (valueAtPath(asked, field) ?? null) !== null),
      that(`with ${field}`, ({ answer }) => !isOptional || valueAtPath(answer, field) !== undefined),
    ),
    check: (evidence) => unkept(evidence, field, verb),
    mutations: mutationsOfEchoed(operation, echoed),
  });
}

/** Where the response has another value than the request. */
function unkept(
  { asked, answer, call }: ResponseEvidence,
  field: string,
  verb: 'create' | 'modify',
): Violation[] {
  const [wanted, actual] = [valueAtPath(asked, field), valueAtPath(answer, field)];
  // A model may be reported by a fuller name.
  if (field === 'model' && namesRequestedModel(wanted, actual)) return [];
  // Whether a modification takes away pairs that it does not name is left open.
  const agree = field === 'metadata' && verb === 'create' ? deepEqual : containsRequested;
  if (isKept(wanted, actual, agree)) return [];
  // The effect of a value that should have been rejected is not stated; it concerns only its own pair of the metadata.
  const rejected = violationsOf(call)
    .map(({ at }) => pointerTokens(at))
    .filter(([name]) => name === field);
  const keys = field === 'metadata' ? rejected.map(([, key]) => key) : [];
  if (keys.length < rejected.length || keys.includes(undefined)) return [];
  if (isKept(withoutKeys(wanted, keys), withoutKeys(actual, keys), agree)) return [];
  return [violation(`/${field}`, `${briefValue(wanted ?? null)}, as asked for`, actual)];
}

/** Whether a field has the value that was asked for, as far as the two have to agree. */
function isKept(
  wanted: Json | undefined,
  actual: Json | undefined,
  agree: typeof containsRequested,
): boolean {
  // No pairs at all may read as null; where that has no place the schema says so.
  if (actual === null && wanted !== undefined && isEmpty(wanted)) return true;
  return agree(wanted, actual);
}

/** A map without some of its pairs; any other value as it is. */
function withoutKeys(map: Json | undefined, keys: readonly (string | undefined)[]): Json | undefined {
  if (keys.length === 0 || !isObject(map)) return map;
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

/** Responses with another value than the requested one, with a part of it, and without it. */
function mutationsOfEchoed(operation: string, { name: field, isOptional }: EchoedField) {
  const ofRequested = (edit: (value: Json | undefined) => Json): Mutation =>
    inResponseWhere(operation, requestSets(field), setValue(`/${field}`, edit));
  return {
    'another one': ofRequested(anotherValue),
    'cut short': ofRequested(reducedValue),
    ...(isOptional ? {} : { 'left out': removeIn(operation, `/${field}`) }),
  };
}

/** The response contains the stated default of a field that the request leaves out. */
function defaultField(resource: Resource, operation: string, { name: field, node }: EchoedField) {
  const { area, spec, noun } = resource;
  // as: defaults are written in our schemas as JSON
  const wanted = node.notes['default'] as Json;
  const isUnnamed = requestLeavesOut(field);
  const mutations: Readonly<Record<string, Mutation>> = {
    'another one': inResponseWhere(operation, isUnnamed, setValue(`/${field}`, anotherValue)),
    'one more': inResponseWhere(operation, isUnnamed, setValue(`/${field}`, extendedValue)),
  };
  return section(spec).stated(`${area}.create.default-${field.replaceAll('_', '-')}`, {
    says: `The \`${field}\` of a new ${noun} is ${JSON.stringify(wanted)} unless its request sets it.`,
    selector: where(
      answersOf(resource, operation),
      leavesOut(field),
      // Where null is allowed, it may stand for the default; where it is not, the schema says so.
      that(`with ${field} other than null`, ({ answer }) => (valueAtPath(answer, field) ?? null) !== null),
    ),
    check: ({ answer }) => {
      const actual = valueAtPath(answer, field);
      return deepEqual(actual, wanted) ? [] : [violation(`/${field}`, JSON.stringify(wanted), actual)];
    },
    mutations,
  });
}

/** Responses of an operation in the form that the resource is about. */
function answersOf({ variant }: Resource, operation: string) {
  return responses(operation, variant === undefined ? {} : { variant });
}

/** A default of null only states that the field may be left out. */
function hasDefault({ node }: EchoedField): boolean {
  return (node.notes['default'] ?? null) !== null;
}
