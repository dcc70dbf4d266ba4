import { createHash } from 'node:crypto';
import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { parseBoundedJson } from '../../exchange/http/json-text.ts';
import { getOrMake } from '../../schemas/grouping.ts';
import { schema } from '../../schemas/index.ts';
import { subjectOf } from '../probe/constraints.ts';
import { bodyOf, holdsFor } from '../probe/request-violations.ts';
import type { SchemaNode } from '../schema/node.ts';
import type { Call } from '../trace/call.ts';
import { callerOf } from '../trace/callers.ts';
import { isObject, textAt } from '../trace/json.ts';
import { endingOf } from './attached-files.ts';
import { hasUnstated, unstatedValues } from './features.ts';
import type { KnownObjects } from './known-objects.ts';

/** Operations that attach files, which may already be attached. */
export const ATTACHING_OPERATIONS: ReadonlySet<string> = new Set([
  'createAssistantFile',
  'createVectorStoreFile',
  'createVectorStoreFileBatch',
]);

/** Operations that read the files they name. A file is known to be valid once an equal one was accepted. */
const READING_OPERATIONS = new Set([...ATTACHING_OPERATIONS, 'createBatch', 'createFineTuningJob']);

/** Credentials, model and files that a request relies on; null if it names files whose contents are not in the trace. */
export function assumptions(call: Call, objects: KnownObjects): readonly string[] | null {
  const { operation, variant, requestJson: body } = call;
  const contents = READING_OPERATIONS.has(operation.id) ? objects.files.contentsIn(call) : [];
  if (contents === null) return null;
  const caller = callerOf(call.exchange.request);
  const key = `credentials ${caller}`;
  const model = textAt(body, 'model');
  const member = { createBatch: 'endpoint', createFineTuningJob: 'model' }[operation.id];
  const use = isObject(body) && member !== undefined ? String(body[member]) : '';
  const files = [...filesOf(call), ...contents.map((content) => `file ${operation.id} ${use} ${content}`)];
  if (variant === null) return [key, ...files];
  const subject = subjectOf(operation, variant);
  const named =
    model !== undefined ? [`model ${caller} ${MODEL_USERS.get(operation.id) ?? subject} ${model}`] : [];
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
  const areComplete = files.every(({ filename, body }) => filename !== '' && body.size > 0);
  if (purpose === 'assistants' && areComplete) return [];
  const areJsonLines = files.every(({ filename }) => endingOf(filename) === 'jsonl');
  if (
    purpose === 'batch' &&
    areComplete &&
    areJsonLines &&
    files.every(({ body }) => isBatchInput(body.text))
  )
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

/** Whether a text is a valid batch input (2 Batch): at most 50,000 lines, each a request, with distinct custom_ids. */
export function isBatchInput(text: string | null): boolean {
  const lines = (text ?? '').replace(/\n$/, '').split('\n');
  if (lines.length > MAX_BATCH_REQUESTS) return false;
  const requests = lines.map((line) => parseBoundedJson(line)?.value);
  const ids = new Set(requests.map((line) => (isObject(line) ? line['custom_id'] : undefined)));
  return lines.length > 0 && ids.size === lines.length && requests.every(isRequest);
}

/** From the specification, section 2 Limits. */
const MAX_BATCH_REQUESTS = 50_000;

const BATCH_LINE_MEMBERS: ReadonlySet<string> = new Set(['custom_id', 'method', 'url', 'body']);

function isRequest(line: Json | undefined): boolean {
  // The specification does not say whether other members are ignored.
  const isListed = isObject(line) && Object.keys(line).every((name) => BATCH_LINE_MEMBERS.has(name));
  return isListed && holdsFor(schema('batch.input'), line);
}
