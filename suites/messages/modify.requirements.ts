import { fieldDifferences } from '../generate/relations/compare.ts';
import { choiceOf } from '../rows/rows.ts';
import { inResponseWhere, setValue } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { isObject, valueAtPath } from '../vocabulary/json.ts';
import {
  answered,
  decided,
  idFrom,
  requests,
  sentValid,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json, Violation } from '../vocabulary/types.ts';
import { messageText } from './content.ts';

const { stated } = section('1 Messages and message files');
const MODIFY = 'modifyMessage';
/** Fields of a message that a modification may name and that it does not change; content is compared by its text. */
const FIXED = ['role', 'file_ids', 'thread_id', 'created_at'];

export const messagesModifyOnlyMetadata = stated('messages.modify.only-metadata', {
  says: 'A modification changes the metadata of a message and no other field that it names.',
  selector: where(
    successions({ first: 'createMessage', later: MODIFY, about: idFrom('message_id', 'id') }),
    answered,
    that('whose request names more than the metadata', ({ after }) => namesMore(after.requestJson)),
  ),
  check: ({ before, after }): Violation[] => {
    const [made, answer] = [before.responseJson ?? null, after.responseJson ?? null];
    const earlier = { value: made, by: before.exchange.id };
    const others = fieldDifferences(FIXED, earlier, answer, '');
    const [expected, actual] = [messageText(made), messageText(answer)];
    if (valueAtPath(answer, 'content') === undefined || expected === actual) return others;
    return [...others, violation('/content', JSON.stringify(expected), actual)];
  },
  mutations: {
    'another text': inModifications(setValue('/content/0/text/value', 'Which way is south?')),
    'no text': inModifications(setValue('/content', [])),
    'another author': inModifications(setValue('/role', 'assistant')),
    'without its files': inModifications(setValue('/file_ids', [])),
  },
});

export const messagesModifyOtherFields = choiceOf('messages.modify.other-fields', {
  selector: where(requests(MODIFY), decided, sentValid, ({ asked }) => namesMore(asked)),
  taken: outcome('passed over'),
});

/** Whether a request names more than the metadata. */
function namesMore(asked: Json | undefined): boolean {
  return isObject(asked) && Object.keys(asked).some((name) => name !== 'metadata');
}

function inModifications(edit: ReturnType<typeof setValue>) {
  const fits = ({ request }: Exchange) => namesMore(request.body.json?.value);
  return inResponseWhere(MODIFY, fits, edit);
}
