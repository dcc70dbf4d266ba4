import type { Json } from '../../exchange/http/body.ts';
import { arrayAt, listElements, textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { responses, stateless, where } from '../../judge/evidence/selectors/answers.ts';
import { successions } from '../../judge/evidence/selectors/relations.ts';
import { inResponse } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { messageText } from './content.ts';

const { stated, implied } = section('1 Message');
const NEW = 'createMessage';
const SHOWING = [NEW, 'retrieveMessage', 'modifyMessage', 'listMessages'];

export const messagesCreateTextKept = implied('messages.create.text-kept', {
  spec: '1 Messages and message files',
  says: 'The text of a new message is the content of its request.',
  selector: where(responses(NEW), ({ requestJson: asked }) => textAt(asked, 'content') !== undefined),
  check: ({ requestJson: asked, json: answer }) => {
    const [wanted, actual] = [textAt(asked, 'content'), messageText(answer)];
    return actual === wanted ? [] : [{ at: '/content', expected: JSON.stringify(wanted), actual }];
  },
  mutations: {
    'other words': inResponse(NEW, setValue('/content/0/text/value', 'Other words.')),
    'said twice': inResponse(
      NEW,
      setValue('/content', (parts) => [...arrayAt(parts), ...arrayAt(parts)]),
    ),
    nothing: inResponse(NEW, setValue('/content', [])),
  },
});

export const messagesCreateNoRun = stated('messages.create.no-run', {
  says: 'A message that a caller creates belongs to no run.',
  selector: where(responses(NEW), ({ json: answer }) => valueAtPath(answer, 'run_id') !== undefined),
  check: ({ json: answer }) => {
    const actual = valueAtPath(answer, 'run_id');
    return actual === null ? [] : [{ at: '/run_id', expected: 'null', actual }];
  },
  mutations: {
    'of a run': inResponse(NEW, setValue('/run_id', 'run_of_nobody')),
    'an empty name': inResponse(NEW, setValue('/run_id', '')),
  },
});

export const messagesCreateUserNamesNoAssistant = implied('messages.create.user-names-no-assistant', {
  says: 'A message of a user names no assistant as its author.',
  selector: where(responses(NEW), ({ requestJson: asked, json: answer }) => {
    return valueAtPath(asked, 'role') === 'user' && valueAtPath(answer, 'assistant_id') !== undefined;
  }),
  check: ({ json: answer }) => {
    const actual = valueAtPath(answer, 'assistant_id');
    return actual === null ? [] : [{ at: '/assistant_id', expected: 'null', actual }];
  },
  mutations: {
    'of an assistant': inResponse(NEW, setValue('/assistant_id', 'asst_of_nobody')),
    'an empty name': inResponse(NEW, setValue('/assistant_id', '')),
  },
});

/** Messages of runs have requirements of their own, `runs.message.*`. */
const ofCallers = stateless('messages of callers', SHOWING, {}, (call) => {
  const { responseJson: answer } = call;
  if (answer === undefined) return [];
  const shown = call.operation.id === 'listMessages' ? listElements(answer) : [{ at: '', value: answer }];
  const messages = shown.filter(({ value }) => valueAtPath(value, 'run_id') === null);
  return messages.length === 0 ? [] : [{ messages, exchanges: [call.exchange] }];
});

export const messagesIncompleteOnlyThen = implied('messages.incomplete.only-then', {
  says: 'A message that is not incomplete has neither a reason nor a time for that.',
  selector: where(ofCallers, ({ messages }) => messages.some(isWhole)),
  check: ({ messages }) =>
    messages.filter(isWhole).flatMap(({ at, value }) =>
      ['incomplete_details', 'incomplete_at'].flatMap((field) => {
        const actual = valueAtPath(value, field) ?? null;
        return actual === null ? [] : [{ at: `${at}/${field}`, expected: 'null', actual }];
      }),
    ),
  mutations: {
    'an empty reason': inResponse(NEW, setValue('/incomplete_details', {})),
    'a time': inResponse('retrieveMessage', setValue('/incomplete_at', 1_700_000_000)),
    'a reason in the list': inResponse(
      'listMessages',
      setValue('/data/*/incomplete_details', { reason: 'max_tokens' }),
    ),
  },
});

export const messagesListNoRunAtFirst = stated('messages.list.no-run-at-first', {
  says: 'The messages that a thread is created with belong to no run.',
  selector: where(ofThread(), ({ after }) => arrayAt(after.responseJson, 'data').length > 0),
  check: ({ after }) =>
    arrayAt(after.responseJson, 'data').flatMap((message, i) => {
      const actual = valueAtPath(message, 'run_id') ?? null;
      return actual === null ? [] : [{ at: `/data/${i}/run_id`, expected: 'null', actual }];
    }),
  mutations: {
    'of a run': inResponse('listMessages', setValue('/data/*/run_id', 'run_of_nobody')),
    'one of a run': inResponse('listMessages', setValue('/data/0/run_id', 'run_of_nobody')),
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
    about: ({ path, responseJson: answer }) => path['thread_id'] ?? textAt(answer, 'id'),
  });
  return { ...successive, operations: ['listMessages', 'createThread', 'createRun'] };
}
