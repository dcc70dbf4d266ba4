import { createHash } from 'node:crypto';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { getOrMake } from '../../schemas/maps.ts';
import { subjectOf } from '../probe/request-constraints.ts';
import { bodyOf } from '../probe/request-violations.ts';
import type { SchemaNode } from '../schema/node.ts';
import type { Call } from '../trace/call.ts';
import { callerOf } from '../trace/caller-identity.ts';
import { isObject, textAt } from '../trace/json.ts';
import { extensionOf } from './attached-files.ts';
import { isBatchInput } from './batch-input.ts';
import type { KnownObjects } from './known-objects.ts';
import { hasUnstated, unstatedValues } from './unstated-values.ts';

/** Operations that attach files; a service may refuse a file that is already attached. */
export const ATTACHING_OPERATIONS: ReadonlySet<string> = new Set([
  'createAssistantFile',
  'createVectorStoreFile',
  'createVectorStoreFileBatch',
]);

/** Operations that read the files they name. A file is known to be valid once a file with its content was accepted. */
const READING_OPERATIONS = new Set([...ATTACHING_OPERATIONS, 'createBatch', 'createFineTuningJob']);

/** Operations that share models: a model that one operation of a group accepts is valid for the whole group. */
const MODEL_USERS = new Map(
  ['createAssistant', 'modifyAssistant', 'createRun', 'createThreadAndRun'].map((id) => [id, 'assistants']),
);

/** Operations that share recordings: one that either accepts is valid for both. */
const SPEECH_READERS = new Map(['createTranscription', 'createTranslation'].map((id) => [id, 'speech']));

const hasUnstatedByTree = new WeakMap<SchemaNode, boolean>();

/**
 * Lists what must be valid for the request to be accepted, such as its key, model and files: an accepted request proves
 * it for others. Null if the content of a file is unknown.
 */
export function assumptions(call: Call, objects: KnownObjects): readonly string[] | null {
  const { operation, variant, requestJson: body } = call;
  const contents = READING_OPERATIONS.has(operation.id) ? objects.files.contentsIn(call) : [];
  if (contents === null) return null;
  const caller = callerOf(call.exchange.request);
  const credentials = `credentials ${caller}`;
  const model = textAt(body, 'model');
  const member = { createBatch: 'endpoint', createFineTuningJob: 'model' }[operation.id];
  const use = member === undefined ? '' : (textAt(body, member) ?? '');
  const files = [...filesOf(call), ...contents.map((content) => `file ${operation.id} ${use} ${content}`)];
  if (variant === null) return [credentials, ...files];
  const subject = subjectOf(operation, variant);
  const models =
    model !== undefined ? [`model ${caller} ${MODEL_USERS.get(operation.id) ?? subject} ${model}`] : [];
  return [credentials, ...models, ...files, ...imagesIn(call, subject), ...unstatedIn(call, subject)];
}

function imagesIn({ exchange, operation, requestJson: body }: Call, subject: string): readonly string[] {
  if (exchange.scenario !== null || operation.id !== 'createChatCompletion' || !isObject(body)) return [];
  const urls = JSON.stringify(body['messages'] ?? null).match(/"data:image[^"]*"/g) ?? [];
  return urls.map((url) => `image ${subject} ${createHash('sha256').update(url).digest('hex')}`);
}

function unstatedIn(call: Call, subject: string): readonly string[] {
  const body = bodyOf(call);
  if (body === null) return [];
  if (!getOrMake(hasUnstatedByTree, body.tree, () => hasUnstated(body.tree))) return [];
  return unstatedValues(body.tree, body.value).map(
    ({ at, value }) => `value ${subject} ${at} ${JSON.stringify(value)}`,
  );
}

function filesOf(call: Call): readonly string[] {
  if (call.variant?.body?.carrier !== 'multipart') return [];
  const { exchange, operation, requestJson } = call;
  const files = (formDataParts(exchange.request) ?? []).filter(({ filename }) => filename !== null);
  if (files.length === 0) return [];
  const purpose = operation.id === 'createFile' ? (textAt(requestJson, 'purpose') ?? '') : '';
  // For assistants, any non-empty file with a name is acceptable.
  const areComplete = files.every(({ filename, body }) => filename !== '' && body.size > 0);
  if (purpose === 'assistants' && areComplete) return [];
  const areJsonLines = files.every(({ filename }) => extensionOf(filename) === 'jsonl');
  const isBatch = purpose === 'batch' && areComplete && areJsonLines;
  if (isBatch && files.every(({ body }) => isBatchInput(body.text))) return [];
  const digests = files.map(({ name, filename, body }) => `${name} ${extensionOf(filename)} ${body.sha256}`);
  return [
    `files ${SPEECH_READERS.get(operation.id) ?? operation.id} ${purpose} ${digests.toSorted().join(' ')}`,
  ];
}
