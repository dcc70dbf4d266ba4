import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { JsonSchema } from '../../schemas/index.ts';
import { bodyOf, holdsFor, violationsOf } from '../probe/request-violations.ts';
import type { SchemaNode } from '../schema/node.ts';
import type { Visit } from '../schema/walk.ts';
import type { Call } from '../trace/call.ts';
import { isOfUnknownCaller } from '../trace/caller-identity.ts';
import { isObject } from '../trace/json.ts';
import { LONG_BODY, REFUSABLE_OPERATIONS } from './accepted-request.ts';
import { ATTACHING_OPERATIONS, assumptions } from './assumptions.ts';
import { type BodyFeatures, bodyFeatures } from './body-features.ts';
import { sizeFeatures } from './body-size.ts';
import type { KnownObjects } from './known-objects.ts';
import { queryFeatures } from './query-features.ts';
import { hasRefusableHeaders } from './refusable-headers.ts';
import { isUnstatedRequest } from './unstated-requests.ts';

/** Features that only the model with a certain role must support. `operation`: null for all operations. */
const ROLE_FEATURES: readonly {
  readonly feature: RegExp;
  readonly operation: string | null;
  readonly role: string;
}[] = [
  { feature: /\[image_url\]$/, operation: null, role: 'vision' },
  { feature: /^body\.suffix$/, operation: 'createCompletion', role: 'suffix-completion' },
];

const ID_NAME = /(_ids?|^training_file|^validation_file)$/;

export type Expectation =
  | {
      readonly kind: 'due';
      readonly features: readonly string[];
      /** Credentials, model, files, images and values of this request; accepted requests must show each to be valid. */
      readonly assumes: readonly string[];
      /** Ids of objects that the body names. */
      readonly names: readonly string[];
    }
  | { readonly kind: 'violation' }
  /** It is unknown whether the target must accept the request. */
  | { readonly kind: 'open'; readonly why: OpenPoint; readonly features: readonly string[] };

export function expectationOf(
  call: Call,
  header: Pick<TraceHeader, 'models'>,
  objects: KnownObjects,
): Expectation {
  const { operation, variant, exchange } = call;
  if (exchange.probe?.side === 'violation') return { kind: 'violation' };
  if (variant === null || !variant.counted) return leaveOpen('variant');
  if (Object.hasOwn(REFUSABLE_OPERATIONS, operation.id)) return leaveOpen('operation');
  if (violationsOf(call).length > 0) return { kind: 'violation' };
  const query = queryFeatures(call, objects);
  if (query === null) return leaveOpen('unlisted');
  if (!objects.hasPathOf(call) || (call.status === 404 && isOfUnknownCaller(exchange)))
    return leaveOpen('object');
  const body = bodyOf(call);
  const { size } = exchange.request.body;
  if (variant.body === null || (body === null && size === 0 && !variant.body.required)) {
    if (size > 0) return leaveOpen('unreadable');
    return hasRefusableHeaders(call) ? leaveOpen('unstated', query) : dueExpectation(call, objects, query);
  }
  if (body === null) return leaveOpen('unreadable');
  const content = bodyFeatures(body.tree, body.value);
  if (content.broken.length > 0) return { kind: 'violation' };
  const why = findOpenPoint(call, content, header, objects);
  const features = [...content.features, ...query, ...sizeFeatures(size)];
  if (why !== null) return leaveOpen(why, features);
  if (ATTACHING_OPERATIONS.has(operation.id) && !objects.files.canAttach(call))
    return leaveOpen('object', features);
  const names = content.visits.flatMap((visit) =>
    isId(visit) && typeof visit.value === 'string' ? [visit.value] : [],
  );
  return dueExpectation(call, objects, features, names);
}

export function violatingFeatures(call: Call): readonly string[] {
  const body = call.variant === null ? null : bodyOf(call);
  const query = queryFeatures(call, null) ?? [];
  return body === null ? query : [...bodyFeatures(body.tree, body.value).features, ...query];
}

function leaveOpen(why: OpenPoint, features: readonly string[] = []): Expectation {
  return { kind: 'open', why, features };
}

function dueExpectation(
  call: Call,
  objects: KnownObjects,
  features: readonly string[],
  names: readonly string[] = [],
): Expectation {
  const assumes = assumptions(call, objects);
  if (assumes === null) return leaveOpen('object', features);
  return { kind: 'due', features: features.toSorted(), assumes, names };
}

export type OpenPoint =
  | 'variant'
  | 'unreadable'
  /** The specification does not list a parameter, field or value of the request, or leaves its meaning open. */
  | 'unlisted'
  /** The request is of a kind that the specification does not promise to accept (`unstated-requests.ts`). */
  | 'unstated'
  /** The trace does not show that the request may use each object that it names. */
  | 'object'
  /** The model of the request may not support one of its features or values. */
  | 'model'
  /** The request contains a URL other than a data URL, from which the target may be unable to fetch. */
  | 'address'
  /** The request may exceed the context of the model. */
  | 'context'
  | 'choice'
  | 'dialect'
  | 'operation'
  /** 401, 403 or 407, and the target accepted no call of the operation, or no later one with the same key. */
  | 'permission';

function findOpenPoint(
  call: Call,
  { unlisted, visits, features }: BodyFeatures,
  header: Pick<TraceHeader, 'models'>,
  objects: KnownObjects,
): OpenPoint | null {
  if (unlisted.length > 0) return 'unlisted';
  const { request } = call.exchange;
  if (formDataParts(request) === null && request.body.size > LONG_BODY) return 'context';
  if (!objects.contexts.fits(call)) return 'context';
  if (isUnstatedRequest(call, objects)) return 'unstated';
  const model = isObject(call.requestJson) ? call.requestJson['model'] : undefined;
  const roleFeatures = ROLE_FEATURES.filter(
    ({ feature, operation }) =>
      (operation ?? call.operation.id) === call.operation.id && features.some((one) => feature.test(one)),
  );
  if (roleFeatures.some(({ role }) => header.models[role] !== model)) return 'model';
  for (const visit of visits) {
    const { node, value } = visit;
    if (isId(visit) && typeof value === 'string' && !objects.hasId(value, call)) return 'object';
    if (isUrl(visit) && typeof value === 'string' && !value.startsWith('data:')) return 'address';
    const greater = node.notes['x-greater-than'];
    if (typeof greater === 'string' && value !== null) {
      const bound = isObject(call.requestJson) ? (call.requestJson[greater] ?? 1) : 1;
      if (!(typeof value === 'number' && typeof bound === 'number' && value > bound)) return 'unlisted';
    }
    if (!fitsModel(node.notes['x-per-model'], value, model, header)) return 'model';
  }
  return null;
}

function isId({ node, at }: Visit): boolean {
  return !hasFreeName(node) && ID_NAME.test(at.split('/').findLast((token) => !/^\d+$/.test(token)) ?? '');
}

function isUrl({ node, at }: Visit): boolean {
  return !hasFreeName(node) && at.endsWith('/url');
}

/** Whether the caller chooses the name, as in metadata, so that it says nothing about the value. */
function hasFreeName({ steps }: SchemaNode): boolean {
  const last = steps.findLast(({ step }) => step !== 'items' && step !== 'branch')?.step;
  return last === 'values' || last === 'keys';
}

function fitsModel(
  perModel: unknown,
  value: Json,
  model: Json | undefined,
  { models }: Pick<TraceHeader, 'models'>,
): boolean {
  if (typeof perModel !== 'object' || perModel === null || value === null) return true;
  const roles: readonly (readonly [string, unknown])[] = Object.entries(perModel);
  const isKnown = typeof model === 'string' && Object.values(models).includes(model);
  if (!isKnown) return false;
  return roles
    .filter(([role]) => models[role] === model)
    .every(([, schema]) => schema !== false && holdsFor(schema as JsonSchema, value)); // as: a note of a schema
}
