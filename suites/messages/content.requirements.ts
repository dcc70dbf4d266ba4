import { setIn } from '../vocabulary/changes.ts';
import { arrayAt, listElements, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  asks,
  asksText,
  idFrom,
  lists,
  responses,
  shows,
  stateless,
  successions,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { fieldIs, section, violation } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { messageText } from './content.ts';

const { stated, implied } = section('1 Message');
const NEW = 'createMessage';
const SHOWING = [NEW, 'retrieveMessage', 'modifyMessage', 'listMessages'];

export const messagesCreateTextKept = implied('messages.create.text-kept', {
  spec: '1 Messages and message files',
  says: 'The text of a new message is the content of its request.',
  selector: where(responses(NEW), asksText('content')),
  check: ({ asked, answer }) => {
    const [wanted, actual] = [textAt(asked, 'content'), messageText(answer)];
    return actual === wanted ? [] : [violation('/content', JSON.stringify(wanted), actual)];
  },
  mutations: {
    'other words': setIn(NEW, '/content/0/text/value', 'Other words.'),
    'said twice': setIn(NEW, '/content', (parts) => [...arrayAt(parts), ...arrayAt(parts)]),
    nothing: setIn(NEW, '/content', []),
  },
});

export const messagesCreateNoRun = stated('messages.create.no-run', {
  says: 'A message that a caller creates belongs to no run.',
  selector: where(responses(NEW), shows('run_id')),
  check: ({ answer }) => fieldIs(answer, 'run_id', null),
  mutations: {
    'of a run': setIn(NEW, '/run_id', 'run_of_nobody'),
    'an empty name': setIn(NEW, '/run_id', ''),
  },
});

export const messagesCreateUserNamesNoAssistant = implied('messages.create.user-names-no-assistant', {
  says: 'A message of a user names no assistant as its author.',
  selector: where(responses(NEW), asks('role', 'user'), shows('assistant_id')),
  check: ({ answer }) => fieldIs(answer, 'assistant_id', null),
  mutations: {
    'of an assistant': setIn(NEW, '/assistant_id', 'asst_of_nobody'),
    'an empty name': setIn(NEW, '/assistant_id', ''),
  },
});

/** Messages of runs have requirements of their own, `runs.message.*`. */
const ofCallers = stateless(
  'messages of callers',
  SHOWING,
  { needs: 'a message with run_id null' },
  (call) => {
    const { responseJson: answer } = call;
    if (answer === undefined) return [];
    const shown = call.operation.id === 'listMessages' ? listElements(answer) : [{ at: '', value: answer }];
    const messages = shown.filter(({ value }) => valueAtPath(value, 'run_id') === null);
    return messages.length === 0 ? [] : [{ messages, exchanges: [call.exchange] }];
  },
);

export const messagesIncompleteOnlyThen = implied('messages.incomplete.only-then', {
  says: 'A message that is not incomplete has neither a reason nor a time for that.',
  selector: where(
    ofCallers,
    that('that is not incomplete', ({ messages }) => messages.some(isWhole)),
  ),
  check: ({ messages }) =>
    messages.filter(isWhole).flatMap(({ at, value }) =>
      ['incomplete_details', 'incomplete_at'].flatMap((field) => {
        const actual = valueAtPath(value, field) ?? null;
        return actual === null ? [] : [violation(`${at}/${field}`, 'null', actual)];
      }),
    ),
  mutations: {
    'an empty reason': setIn(NEW, '/incomplete_details', {}),
    'a time': setIn('retrieveMessage', '/incomplete_at', 1_700_000_000),
    'a reason in the list': setIn('listMessages', '/data/*/incomplete_details', { reason: 'max_tokens' }),
  },
});

export const messagesListNoRunAtFirst = stated('messages.list.no-run-at-first', {
  says: 'The messages that a thread is created with belong to no run.',
  selector: where(ofThread(), lists('data')),
  check: ({ after }) =>
    arrayAt(after.responseJson, 'data').flatMap((message, i) => {
      const actual = valueAtPath(message, 'run_id') ?? null;
      return actual === null ? [] : [violation(`/data/${i}/run_id`, 'null', actual)];
    }),
  mutations: {
    'of a run': setIn('listMessages', '/data/*/run_id', 'run_of_nobody'),
    'one of a run': setIn('listMessages', '/data/0/run_id', 'run_of_nobody'),
  },
});

function isWhole({ value }: { readonly value: Json }): boolean {
  return ['completed', 'in_progress'].includes(textAt(value, 'status') ?? '');
}

/** A list of a thread that no run has touched; it counts for messages. */
function ofThread() {
  const successive = successions({
    first: 'createThread',
    later: 'listMessages',
    until: ['createRun'],
    about: idFrom('thread_id', 'id'),
  });
  return { ...successive, operations: ['listMessages', 'createThread', 'createRun'] };
}
