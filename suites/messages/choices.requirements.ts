import {
  allEdits,
  inResponse,
  removeIn,
  removeValue,
  setIn,
  withStatusOf as setStatus,
  setValue,
} from '../vocabulary/changes.ts';
import { fieldState, fieldValue, refusal } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, where } from '../vocabulary/selectors.ts';
import { section } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';

const { choice } = section('1 Message');
const messagesAndMessageFiles = section('1 Messages and message files');
const NEW = 'createMessage';

export const messagesContentOfAString = messagesAndMessageFiles.choice('messages.content.of-a-string', {
  says: 'How the response shows content that was sent as a string.',
  alternatives: ['one text part', 'several parts'],
  selector: where(responses(NEW), ({ asked }) => textAt(asked, 'content') !== undefined),
  taken: ({ answer }) => {
    const types = arrayAt(answer, 'content').map((part) => textAt(part, 'type'));
    if (types.length === 1) return types[0] === 'text' ? 'one text part' : 'another part';
    return types.length === 0 ? 'no part' : 'several parts';
  },
  examples: { 'several parts': setIn(NEW, '/content', (parts) => [...arrayAt(parts), ...arrayAt(parts)]) },
});

export const messagesContentAsParts = messagesAndMessageFiles.choice('messages.content.as-parts', {
  says: 'Whether content is taken as a list of parts outside the legacy form.',
  alternatives: ['accepted', 'refused'],
  selector: where(
    requests(NEW),
    ({ asked, call }) =>
      call.variant?.name === 'v2' &&
      Array.isArray(valueAtPath(asked, 'content')) &&
      call.exchange.probe === null,
  ),
  taken: refusal('accepted'),
  examples: { refused: setStatus(NEW, 400) },
});

export const messagesFormBetaFields = choice('messages.form.beta-fields', {
  spec: '1 Versioning',
  says: 'Fields of a message outside the legacy form beside those that both forms have.',
  alternatives: ['nothing', 'file_ids', 'attachments'],
  selector: responses([NEW, 'retrieveMessage', 'modifyMessage'], { variant: 'v2' }),
  taken: ({ answer }) => {
    const found = ['file_ids', 'attachments'].filter((field) => valueAtPath(answer, field) !== undefined);
    return found.length === 0 ? 'nothing' : found.join(' and ');
  },
  examples: {
    nothing: removeIn(NEW, '/attachments'),
    file_ids: inResponse(NEW, allEdits(removeValue('/attachments'), setValue('/file_ids', []))),
  },
});

export const messagesCreateStatus = choice('messages.create.status', {
  says: 'The status of a message that a caller has made.',
  alternatives: ['completed', 'in_progress', 'incomplete'],
  selector: responses(NEW),
  taken: fieldValue('status'),
  examples: {
    in_progress: setIn(NEW, '/status', 'in_progress'),
    incomplete: setIn(NEW, '/status', 'incomplete'),
  },
});

export const messagesCreateCompletedAt = choice('messages.create.completed-at', {
  says: 'Whether a message that a caller has created shows when it was completed.',
  places: ['thread.message:completed_at'],
  alternatives: ['a time', 'null'],
  selector: responses(NEW),
  taken: fieldState('completed_at', 'a time'),
  examples: { null: setIn(NEW, '/completed_at', null) },
});

export const messagesCreateInsertedAuthor = choice('messages.create.inserted-author', {
  says: 'The assistant_id of a message that a caller inserts in the name of an assistant.',
  places: ['thread.message:assistant_id'],
  alternatives: ['null', 'an id'],
  selector: where(responses(NEW), ({ asked }) => textAt(asked, 'role') === 'assistant'),
  taken: fieldState('assistant_id', 'an id'),
  examples: { 'an id': setIn(NEW, '/assistant_id', 'asst_of_somebody') },
});

const SHOWN = ['retrieveMessage', 'listMessages'];

export const messagesContentOtherParts = choice('messages.content.other-parts', {
  says: 'The form of a content part other than text.',
  alternatives: ['image_file: image_file', 'image_url: image_url'],
  several: true,
  selector: where(responses(SHOWN), ({ answer }) => partsOf(answer).some(isOther)),
  taken: ({ answer }) => {
    const other = partsOf(answer).find(isOther);
    if (!isObject(other)) return null;
    const fields = Object.keys(other).filter((name) => name !== 'type');
    return `${textAt(other, 'type')}: ${fields.toSorted().join(', ')}`;
  },
  examples: {
    'image_url: image_url': setIn('retrieveMessage', '/content', [{ type: 'image_url', image_url: {} }]),
  },
});

export const messagesContentAnnotations = choice('messages.content.annotations', {
  says: 'The fields of an annotation of text.',
  alternatives: [
    'end_index, file_citation, start_index, text, type',
    'end_index, file_path, start_index, text, type',
  ],
  several: true,
  selector: where(responses(SHOWN), ({ answer }) => annotationsOf(answer).length > 0),
  taken: ({ answer }) => {
    const [one] = annotationsOf(answer);
    return isObject(one) ? Object.keys(one).toSorted().join(', ') : 'no object';
  },
});

/** The parts of a message, or of all messages of a list. */
function partsOf(answer: Json): readonly Json[] {
  return [answer, ...arrayAt(answer, 'data')].flatMap((message) => arrayAt(message, 'content'));
}

function isOther(part: Json): boolean {
  return valueAtPath(part, 'type') !== 'text';
}

function annotationsOf(answer: Json): readonly Json[] {
  return partsOf(answer).flatMap((part) => arrayAt(part, 'text', 'annotations'));
}
