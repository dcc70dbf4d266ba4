// What about a valid request leaves open whether a target can accept it.
import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import type { JsonSchema } from '../../schemas/index.ts';
import { isObject } from '../evidence/json.ts';
import { holdsFor } from '../probe/unlabelled-violations.ts';
import type { Call } from '../trace/call.ts';
import type { BodyFeatures } from './features.ts';
import type { KnownObjects } from './known-state/objects.ts';
import { isUnstatedRequest } from './unstated/unstated-requests.ts';

/** Why nothing is known of a request. */
export type OpenPoint =
  /** Which variant of the operation is meant is not clear. */
  | 'variant'
  /** The body is not JSON, nor a form. */
  | 'unreadable'
  /** A parameter, a value or a kind of part that the specification does not list. */
  | 'unlisted'
  /** It is of a kind of which the specification does not say that it is accepted: `unstated/unstated-requests.ts`. */
  | 'unstated'
  /** It names an object that no answer has shown, or that may be gone, or busy. */
  | 'object'
  /** What the specification allows depends on the model, and which model it is is not known. */
  | 'model'
  /** It names an address outside the target. */
  | 'address'
  /** It is so long that it may not fit the context of the model. */
  | 'context'
  /** The alternative of a choice is to refuse it. */
  | 'choice'
  /** The dialect in force knows that it is refused. */
  | 'dialect'
  /** An operation of `EXCEPTIONS`. */
  | 'operation'
  /** Each call of the operation was answered 401 or 403: the account may lack the right. */
  | 'permission';

/** Bodies of JSON beyond this are not kept, and may be longer than a service takes: bytes. */
export const LONG = 16_384;

/** Parameters, of one operation or of all, for which the configured model has to be the one of a role. */
const ROLES: readonly {
  readonly feature: RegExp;
  readonly operation: string | null;
  readonly role: string;
}[] = [
  { feature: /\[image_url\]$/, operation: null, role: 'vision' },
  { feature: /^body\.suffix$/, operation: 'createCompletion', role: 'suffix-completion' },
];

/** The first thing about a body that leaves open whether the target can accept it. */
export function openPoint(
  call: Call,
  { unlisted, visits, features }: BodyFeatures,
  header: Pick<TraceHeader, 'models'>,
  objects: KnownObjects,
): OpenPoint | null {
  if (unlisted.length > 0) return 'unlisted';
  const { request } = call.exchange;
  if (formDataParts(request) === null && request.body.size > LONG) return 'context';
  if (!objects.contexts.holds(call)) return 'context';
  if (isUnstatedRequest(call, objects)) return 'unstated';
  const model = isObject(call.requestJson) ? call.requestJson['model'] : undefined;
  const bound = ROLES.filter(
    ({ feature, operation }) =>
      (operation ?? call.operation.id) === call.operation.id && features.some((one) => feature.test(one)),
  );
  if (bound.some(({ role }) => header.models[role] !== model)) return 'model';
  for (const { node, value, at } of visits) {
    const name = at.slice(at.lastIndexOf('/') + 1);
    if (isId(at) && typeof value === 'string' && !objects.hasId(value, call)) return 'object';
    if (name === 'url' && typeof value === 'string' && !value.startsWith('data:')) return 'address';
    const greater = node.notes['x-greater-than'];
    if (typeof greater === 'string' && !isGreater(value, call.requestJson, greater)) return 'unlisted';
    if (!keepsModel(node.notes['x-per-model'], value, model, header)) return 'model';
  }
  return null;
}

/** Names of members that hold ids of objects. */
const ID = /(_ids?|^training_file|^validation_file)$/;

/** Whether a pointer leads to an id, or to an element of a list of ids. */
export function isId(at: string): boolean {
  return ID.test(at.split('/').findLast((token) => !/^\d+$/.test(token)) ?? '');
}

/** Whether a value is greater than that of another member, whose default is 1. */
function isGreater(value: Json, asked: Json | undefined, other: string): boolean {
  const than = isObject(asked) ? (asked[other] ?? 1) : 1;
  return value === null || (typeof value === 'number' && typeof than === 'number' && value > than);
}

/** Whether a value keeps what the specification says of it for the model that is asked. */
function keepsModel(
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
