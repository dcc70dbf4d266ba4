import { keysOf } from '../rows/choice-values.ts';
import { choiceOf } from '../rows/rows.ts';
import { MESSAGE_LOOK_UPS } from '../runs/follow-ups.ts';
import { arrayAt, textAt } from '../vocabulary/json.ts';
import { responses, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';

export const messagesContentOtherParts = choiceOf('messages.content.other-parts', {
  selector: where(responses(MESSAGE_LOOK_UPS), ({ answer }) => partsOf(answer).some(isOtherThanText)),
  taken: ({ answer }) => {
    const other = partsOf(answer).find(isOtherThanText);
    return `${textAt(other, 'type')}: ${keysOf(other, 'type')}`;
  },
});

export const messagesContentAnnotations = choiceOf('messages.content.annotations', {
  selector: where(responses(MESSAGE_LOOK_UPS), ({ answer }) => annotationsOf(answer).length > 0),
  taken: ({ answer }) => keysOf(annotationsOf(answer)[0]) ?? 'no object',
});

function partsOf(answer: Json): readonly Json[] {
  return [answer, ...arrayAt(answer, 'data')].flatMap((message) => arrayAt(message, 'content'));
}

function isOtherThanText(part: Json): boolean {
  return (textAt(part, 'type') ?? 'text') !== 'text';
}

function annotationsOf(answer: Json): readonly Json[] {
  return partsOf(answer).flatMap((part) => arrayAt(part, 'text', 'annotations'));
}
