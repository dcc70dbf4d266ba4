import { schemaKey } from '../../schemas/index.ts';
import { checkFile, checkFiles } from '../files/file-store.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Metadata } from '../http/json.ts';
import type { Version } from '../http/route.ts';
import { compilePartCheck } from '../http/validation.ts';
import type { Service } from '../state/service.ts';
import type { Attachment, ContentPart, StoredMessage } from './run-objects.ts';

/** A message in a request, where the specification has no content in parts and no attachments; clients send both. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly unknown[];
  /** v1: ids of attached files, at most 10. */
  readonly file_ids?: readonly string[] | null;
  readonly attachments?: readonly Attachment[] | null;
  readonly metadata?: Metadata | null;
}

/** Most request schemas leave the content and other fields of a message open, so they are checked here. */
const checkMessage = compilePartCheck({
  type: 'object',
  required: ['role', 'content'],
  properties: {
    role: { enum: ['user', 'assistant'] },
    content: { type: ['string', 'array'], minItems: 1 },
    // The specification states the maximum (1 Limits).
    file_ids: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 10 },
    attachments: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        properties: {
          file_id: { type: 'string' },
          tools: { type: 'array', items: { type: 'object', properties: { type: { type: 'string' } } } },
        },
      },
    },
    metadata: { $ref: schemaKey('metadata') },
  },
});

/** `place`: path in a body, `messages[0]`; null for a whole body. @throws ApiError 400 for an invalid field or file. */
export function makeMessage(
  service: Service,
  threadId: string,
  wire: WireMessage,
  place: string | null = null,
): StoredMessage {
  checkMessage(wire, place);
  // Errors name the field as the client sees it: `messages[0].file_ids`.
  const at = place === null ? '' : `${place}.`;
  const now = service.now();
  const file_ids = wire.file_ids ?? [];
  const attachments = wire.attachments ?? [];
  if (service.takes('messages.create.unknown-file') === 'refused')
    checkFiles(service, file_ids, `${at}file_ids`);
  for (const [n, { file_id }] of attachments.entries()) {
    if (file_id !== undefined) checkFile(service, file_id, `${at}attachments[${n}].file_id`);
  }
  return {
    id: service.id('msg_'),
    object: 'thread.message',
    created_at: now,
    thread_id: threadId,
    ...stateOf(service, now),
    role: wire.role,
    content:
      typeof wire.content === 'string'
        ? textParts(service, wire.content)
        : wire.content.map((part, n) => makePart(service, part, `${at}content[${n}]`)),
    assistant_id: authorOf(service, wire),
    run_id: null,
    // A file that is named twice is attached once.
    file_ids: [...new Set(file_ids)],
    attachments,
    metadata: wire.metadata ?? {},
  };
}

function stateOf(service: Service, now: number) {
  const status = service.takes('messages.create.status') as StoredMessage['status']; // as: the alternatives are states
  const completedAt = service.takes('messages.create.completed-at') === 'null' ? null : now;
  return {
    status,
    incomplete_details: status === 'incomplete' ? ({ reason: 'max_tokens' } as const) : null,
    completed_at: status === 'completed' ? completedAt : null,
    incomplete_at: status === 'incomplete' ? now : null,
  };
}

function authorOf(service: Service, { role }: WireMessage): string | null {
  if (role !== 'assistant' || service.takes('messages.create.inserted-author') === 'null') return null;
  return service.id('asst_');
}

/** Messages carry `file_ids` under v1, `attachments` under v2. */
export function showMessage({ file_ids, attachments, ...message }: StoredMessage, version: Version) {
  return version === 'v1' ? { ...message, file_ids } : { ...message, attachments };
}

/** One part or, if the service splits texts and this one has a space, two: the text up to that space, and the rest. */
function textParts(service: Service, text: string): ContentPart[] {
  const middle = text.indexOf(' ') + 1;
  const isOnePart = service.takes('messages.content.of-a-string') === 'one text part' || middle === 0;
  const values = isOnePart ? [text] : [text.slice(0, middle), text.slice(middle)];
  return values.map((value) => ({ type: 'text', text: { value, annotations: [] } }));
}

/** `at` is the path of the part in the body. @throws ApiError 400 for an invalid part or an unknown file. */
function makePart(service: Service, part: unknown, at: string): ContentPart {
  if (isJsonObject(part)) {
    const { type, text, image_file: file, image_url: url } = part;
    if (type === 'text' && typeof text === 'string') return { type, text: { value: text, annotations: [] } };
    if (type === 'image_file' && isJsonObject(file) && typeof file['file_id'] === 'string') {
      checkFile(service, file['file_id'], `${at}.image_file.file_id`);
      return { type, image_file: file };
    }
    if (type === 'image_url' && isJsonObject(url) && typeof url['url'] === 'string')
      return { type, image_url: url };
  }
  throw ApiError.invalid(
    at,
    `'${at}' must be a part of type text, image_file or image_url with the field of that name.`,
  );
}
