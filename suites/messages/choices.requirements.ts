import { choiceOf } from '../rows/rows.ts';
import { setIn } from '../vocabulary/changes.ts';
import { fieldState, fieldValue, refusal } from '../vocabulary/choice-shapes.ts';
import { keysOf, whichOf } from '../vocabulary/choice-values.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, asksList, asksText, requests, responses, unprobed, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';

const NEW = 'createMessage';

export const messagesContentOfAString = choiceOf('messages.content.of-a-string', {
  selector: where(responses(NEW), asksText('content')),
  taken: ({ answer }) => {
    const types = arrayAt(answer, 'content').map((part) => textAt(part, 'type'));
    if (types.length === 1) return types[0] === 'text' ? 'one text part' : 'another part';
    return types.length === 0 ? 'no part' : 'several parts';
  },
  examples: { 'several parts': setIn(NEW, '/content', (parts) => [...arrayAt(parts), ...arrayAt(parts)]) },
});

export const messagesContentAsParts = choiceOf('messages.content.as-parts', {
  selector: where(requests(NEW, { variant: 'v2' }), unprobed, asksList('content')),
  taken: refusal('accepted'),
});

export const messagesFormBetaFields = choiceOf('messages.form.beta-fields', {
  selector: responses([NEW, 'retrieveMessage', 'modifyMessage'], { variant: 'v2' }),
  taken: ({ answer }) =>
    whichOf(['file_ids', 'attachments'], (name) => valueAtPath(answer, name) !== undefined, 'nothing'),
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
    return `${textAt(other, 'type')}: ${keysOf(other, 'type')}`;
  },
});

export const messagesContentAnnotations = choiceOf('messages.content.annotations', {
  selector: where(responses(SHOWN), ({ answer }) => annotationsOf(answer).length > 0),
  taken: ({ answer }) => keysOf(annotationsOf(answer)[0]) ?? 'no object',
});

/** The parts of a message, or of all messages of a list. */
function partsOf(answer: Json): readonly Json[] {
  return [answer, ...arrayAt(answer, 'data')].flatMap((message) => arrayAt(message, 'content'));
}

function isOther(part: Json): boolean {
  return isObject(part) && part['type'] !== 'text';
}

function annotationsOf(answer: Json): readonly Json[] {
  return partsOf(answer).flatMap((part) => arrayAt(part, 'text', 'annotations'));
}
