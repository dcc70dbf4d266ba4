import { createHash } from 'node:crypto';
import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import type { TraceHeader } from '../../exchange/trace.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { type JsonSchema, schema } from '../../schemas/index.ts';
import { subjectOf } from '../probe/constraints.ts';
import { bodyOf, holdsFor, violationsOf } from '../probe/request-violations.ts';
import type { SchemaNode } from '../schema/node.ts';
import type { Call } from '../trace/call.ts';
import { callerOf, isOfUnknownCaller } from '../trace/callers.ts';
import { isObject } from '../trace/json.ts';
import { endingOf } from './attached-files.ts';
import { sizeFeatures } from './body-size.ts';
import { type BodyFeatures, bodyFeatures, hasUnstated, queryFeatures, unstatedValues } from './features.ts';
import type { KnownObjects } from './known-objects.ts';
import { asksOtherwise, isUnstatedRequest } from './unstated-requests.ts';

export type Expectation =
  | {
      readonly kind: 'due';
      readonly features: readonly string[];
      /** Credentials, model and files of this request; another accepted request must show each of them to be valid. */
      readonly assumes: readonly string[];
      /** Ids of the objects that the body names. */
      readonly names: readonly string[];
    }
  /** The request breaks a constraint or is labelled as a violation. */
  | { readonly kind: 'violation' }
  /** It is unknown whether the target can accept it. `features` are empty if the body was not read. */
  | { readonly kind: 'open'; readonly why: OpenPoint; readonly features: readonly string[] };

/** Features are computed lazily, when a refusal needs an explanation. */
export interface AcceptedRequest {
  /** The operation, with its variant if there are several: `createAssistant.v2`. */
  readonly subject: string;
  /** Features of the query parameters; empty without any. */
  readonly query: readonly string[];
  /** Size of the body in bytes; 0 without one. */
  readonly size: number;
  /** Null without a body. */
  readonly body: { readonly tree: SchemaNode; readonly value: Json } | null;
}

/** Null for a labelled violation, and for a request that is too large to keep. */
export function acceptedRequest(call: Call): AcceptedRequest | null {
  const { operation, variant, exchange } = call;
  if (exchange.probe?.side === 'violation' || variant === null || !variant.counted) return null;
  if (Object.hasOwn(EXCEPTIONS, operation.id)) return null;
  const query = call.query.size === 0 ? [] : queryFeatures(call, null);
  if (query === null) return null;
  const subject = subjectOf(operation, variant);
  if (variant.body === null || exchange.request.body.size === 0)
    return { subject, query, size: 0, body: null };
  if (variant.body.carrier === 'json' && exchange.request.body.size > LONG) return null;
  const body = bodyOf(call);
  return body === null ? null : { subject, query, size: exchange.request.body.size, body };
}

/** Sorted; null if the request breaks a constraint. */
export function acceptedFeatures({ query, size, body }: AcceptedRequest): readonly string[] | null {
  if (body === null) return query;
  const { features, broken } = bodyFeatures(body.tree, body.value);
  return broken.length > 0 ? null : [...features, ...query, ...sizeFeatures(size)].toSorted();
}

/** Operations that may refuse a valid request, with the reason: the trace does not show whether they were possible. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  cancelBatch: 'The batch may have ended in the meantime.',
  cancelFineTuningJob: 'The job may have ended in the meantime.',
  cancelVectorStoreFileBatch: 'The file batch may have ended in the meantime.',
  deleteModel: 'Only a model that the organization has trained may be deleted.',
};

export function expectationOf(
  call: Call,
  header: Pick<TraceHeader, 'models'>,
  objects: KnownObjects,
): Expectation {
  const { operation, variant, exchange } = call;
  if (exchange.probe?.side === 'violation') return { kind: 'violation' };
  if (variant === null || !variant.counted || call.hasOtherPath) return open('variant');
  if (Object.hasOwn(EXCEPTIONS, operation.id)) return open('operation');
  if (violationsOf(call).length > 0) return { kind: 'violation' };
  const query = queryFeatures(call, objects);
  if (query === null) return open('unlisted');
  if (!objects.has(call) || (call.status === 404 && isOfUnknownCaller(exchange))) return open('object');
  const body = bodyOf(call);
  if (variant.body === null || (body === null && exchange.request.body.size === 0 && !variant.body.required))
    return exchange.request.body.size > 0 ? open('unreadable') : dueWithoutBody(call, objects, query);
  if (body === null) return open('unreadable');
  const read = bodyFeatures(body.tree, body.value);
  const why = openPoint(call, read, header, objects);
  if (read.broken.length > 0) return { kind: 'violation' };
  const features = [...read.features, ...query, ...sizeFeatures(exchange.request.body.size)];
  if (why !== null) return open(why, features);
  if (ATTACHING.has(operation.id) && !objects.files.areNew(call)) return open('object', features);
  const names = read.visits.flatMap(({ at, value }) =>
    isId(at) && typeof value === 'string' ? [value] : [],
  );
  return dueExpectation(call, objects, features, names);
}

export function violatingFeatures(call: Call): readonly string[] {
  const body = call.variant === null ? null : bodyOf(call);
  const query = queryFeatures(call, null) ?? [];
  return body === null ? query : [...bodyFeatures(body.tree, body.value).features, ...query];
}

/** Operations that attach files, which may already be attached. */
const ATTACHING = new Set(['createAssistantFile', 'createVectorStoreFile', 'createVectorStoreFileBatch']);
/** Operations that read the files they name. A file is known to be valid once an equal one was accepted. */
const READING = new Set([...ATTACHING, 'createBatch', 'createFineTuningJob']);

function open(why: OpenPoint, features: readonly string[] = []): Expectation {
  return { kind: 'open', why, features };
}

function dueWithoutBody(call: Call, objects: KnownObjects, features: readonly string[]): Expectation {
  return asksOtherwise(call) ? open('unstated', features) : dueExpectation(call, objects, features);
}

function dueExpectation(
  call: Call,
  objects: KnownObjects,
  features: readonly string[],
  names: readonly string[] = [],
): Expectation {
  const assumes = assumptions(call, objects);
  if (assumes === null) return open('object', features);
  return { kind: 'due', features: features.toSorted(), assumes, names };
}

/**
 * Credentials, model and files that a request relies on: its acceptance shows that they are valid. Null if it names
 * files whose contents are not in the trace.
 */
export function assumptions(call: Call, objects: KnownObjects): readonly string[] | null {
  const { operation, variant, requestJson: body } = call;
  const contents = READING.has(operation.id) ? objects.files.contentsIn(call) : [];
  if (contents === null) return null;
  const caller = callerOf(call.exchange.request);
  const key = `credentials ${caller}`;
  const model = isObject(body) ? body['model'] : undefined;
  const member = { createBatch: 'endpoint', createFineTuningJob: 'model' }[operation.id];
  const use = isObject(body) && member !== undefined ? String(body[member]) : '';
  const files = [...filesOf(call), ...contents.map((content) => `file ${operation.id} ${use} ${content}`)];
  if (variant === null) return [key, ...files];
  const subject = subjectOf(operation, variant);
  const named =
    typeof model === 'string' ? [`model ${caller} ${MODEL_USERS.get(operation.id) ?? subject} ${model}`] : [];
  return [key, ...named, ...files, ...imagesIn(call, subject), ...unstatedIn(call, subject)];
}

function imagesIn({ exchange, operation, requestJson: body }: Call, subject: string): readonly string[] {
  if (exchange.scenario !== null || operation.id !== 'createChatCompletion' || !isObject(body)) return [];
  const urls = JSON.stringify(body['messages'] ?? null).match(/"data:image[^"]*"/g) ?? [];
  return urls.map((url) => `image ${subject} ${createHash('sha256').update(url).digest('hex')}`);
}

/** Operations that share models: a model that one operation of a group accepts is valid for all. */
const MODEL_USERS = new Map(
  ['createAssistant', 'modifyAssistant', 'createRun', 'createThreadAndRun'].map((id) => [id, 'assistants']),
);

function unstatedIn(call: Call, subject: string): readonly string[] {
  const body = bodyOf(call);
  if (body === null) return [];
  if (!getOrMake(unstatedBodies, body.tree, () => hasUnstated(body.tree))) return [];
  return unstatedValues(body.tree, body.value).map(
    ({ at, value }) => `value ${subject} ${at} ${JSON.stringify(value)}`,
  );
}

const unstatedBodies = new WeakMap<SchemaNode, boolean>();

function filesOf(call: Call): readonly string[] {
  if (call.variant?.body?.carrier !== 'multipart') return [];
  const { exchange, operation, requestJson: body } = call;
  const files = (formDataParts(exchange.request) ?? []).filter(({ filename }) => filename !== null);
  if (files.length === 0) return [];
  const purpose = operation.id === 'createFile' && isObject(body) ? String(body['purpose']) : '';
  // For these purposes, any non-empty file with a name is acceptable.
  const isThere = files.every(({ filename, body }) => filename !== '' && body.size > 0);
  if (purpose === 'assistants' && isThere) return [];
  const isLines = files.every(({ filename }) => endingOf(filename) === 'jsonl');
  if (purpose === 'batch' && isThere && isLines && files.every(({ body }) => isBatchInput(body.text)))
    return [];
  const digests = files.map(({ name, filename, body }) => `${name} ${endingOf(filename)} ${body.sha256}`);
  return [
    `files ${SPEECH_READERS.get(operation.id) ?? operation.id} ${purpose} ${digests.toSorted().join(' ')}`,
  ];
}

/** Operations that accept the same audio formats, by group. */
const SPEECH_READERS = new Map([
  ['createTranscription', 'speech'],
  ['createTranslation', 'speech'],
]);

/** Why it is unknown whether the target must accept a request. */
export type OpenPoint =
  | 'variant'
  | 'unreadable'
  /** The request has a parameter, value or content type that the specification does not list. */
  | 'unlisted'
  /** The request is of a kind that the specification does not promise to accept (`unstated-requests.ts`). */
  | 'unstated'
  /** The request names an object that no response has shown, or that may be deleted or busy. */
  | 'object'
  /** The allowed values depend on the model, which is unknown. */
  | 'model'
  /** The request contains a URL outside the target. */
  | 'address'
  /** The request may exceed the context of the model. */
  | 'context'
  | 'choice'
  | 'dialect'
  | 'operation'
  /** Every call of the operation was answered with 401 or 403: the account may not have the permission. */
  | 'permission';

/** Size in bytes above which JSON bodies are not kept, and a service may reject them as too long. */
const LONG = 16_384;

/** Features that only the model of a role must support. `operation` is null if that holds for all operations. */
const ROLES: readonly {
  readonly feature: RegExp;
  readonly operation: string | null;
  readonly role: string;
}[] = [
  { feature: /\[image_url\]$/, operation: null, role: 'vision' },
  { feature: /^body\.suffix$/, operation: 'createCompletion', role: 'suffix-completion' },
];

/** Returns null if nothing in the body permits a refusal. */
function openPoint(
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
    if (typeof greater === 'string' && value !== null) {
      const bound = isObject(call.requestJson) ? (call.requestJson[greater] ?? 1) : 1;
      if (!(typeof value === 'number' && typeof bound === 'number' && value > bound)) return 'unlisted';
    }
    if (!keepsModel(node.notes['x-per-model'], value, model, header)) return 'model';
  }
  return null;
}

const ID = /(_ids?|^training_file|^validation_file)$/;

/** Whether a pointer leads to an id or to an element of a list of ids. */
function isId(at: string): boolean {
  return ID.test(at.split('/').findLast((token) => !/^\d+$/.test(token)) ?? '');
}

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

/** Whether a text is a valid batch input (2 Batch): at most 50,000 lines, each a request, with distinct custom_ids. */
export function isBatchInput(text: string | null): boolean {
  const lines = (text ?? '').replace(/\n$/, '').split('\n');
  if (lines.length > MOST_BATCH_REQUESTS) return false;
  const requests = lines.map((line) => parseBoundedJson(line)?.value);
  const ids = new Set(requests.map((line) => (isObject(line) ? line['custom_id'] : undefined)));
  return lines.length > 0 && ids.size === lines.length && requests.every(isRequest);
}

/** From 2 Limits. */
const MOST_BATCH_REQUESTS = 50_000;

const MEMBERS: ReadonlySet<string> = new Set(['custom_id', 'method', 'url', 'body']);

function isRequest(line: Json | undefined): boolean {
  // The specification does not say whether other members are ignored.
  const isListed = isObject(line) && Object.keys(line).every((name) => MEMBERS.has(name));
  return isListed && holdsFor(schema('batch.input'), line);
}
