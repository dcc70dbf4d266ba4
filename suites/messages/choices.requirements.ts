import { choiceOf } from '../data/choices.ts';
import { inResponse, removeValue, setIn, setValue } from '../vocabulary/changes.ts';
import { fieldState, fieldValue, refusal } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, requests, responses, unprobed, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';

const NEW = 'createMessage';

export const messagesContentOfAString = choiceOf('messages.content.of-a-string', {
  selector: where(responses(NEW), ({ asked }) => textAt(asked, 'content') !== undefined),
  taken: ({ answer }) => {
    const types = arrayAt(answer, 'content').map((part) => textAt(part, 'type'));
    if (types.length === 1) return types[0] === 'text' ? 'one text part' : 'another part';
    return types.length === 0 ? 'no part' : 'several parts';
  },
  examples: { 'several parts': setIn(NEW, '/content', (parts) => [...arrayAt(parts), ...arrayAt(parts)]) },
});

export const messagesContentAsParts = choiceOf('messages.content.as-parts', {
  selector: where(
    requests(NEW),
    unprobed,
    ({ asked, call }) => call.variant?.name === 'v2' && Array.isArray(valueAtPath(asked, 'content')),
  ),
  taken: refusal('accepted'),
});

export const messagesFormBetaFields = choiceOf('messages.form.beta-fields', {
  selector: responses([NEW, 'retrieveMessage', 'modifyMessage'], { variant: 'v2' }),
  taken: ({ answer }) => {
    const found = ['file_ids', 'attachments'].filter((field) => valueAtPath(answer, field) !== undefined);
    return found.length === 0 ? 'nothing' : found.join(' and ');
  },
  examples: {
    file_ids: inResponse(NEW, removeValue('/attachments'), setValue('/file_ids', [])),
  },
});

export const messagesCreateStatus = choiceOf('messages.create.status', {
  selector: responses(NEW),
  taken: fieldValue('status'),
});

export const messagesCreateCompletedAt = choiceOf('messages.create.completed-at', {
  selector: responses(NEW),
  taken: fieldState('completed_at', 'a time'),
});

export const messagesCreateInsertedAuthor = choiceOf('messages.create.inserted-author', {
  selector: where(responses(NEW), asks('role', 'assistant')),
  taken: fieldState('assistant_id', 'an id'),
});

const SHOWN = ['retrieveMessage', 'listMessages'];

export const messagesContentOtherParts = choiceOf('messages.content.other-parts', {
  selector: where(responses(SHOWN), ({ answer }) => partsOf(answer).some(isOther)),
  taken: ({ answer }) => {
    const other = partsOf(answer).find(isOther);
    if (!isObject(other)) return null;
    const fields = Object.keys(other).filter((name) => name !== 'type');
    return `${textAt(other, 'type')}: ${fields.toSorted().join(', ')}`;
  },
});

export const messagesContentAnnotations = choiceOf('messages.content.annotations', {
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
