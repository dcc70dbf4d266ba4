import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { successions } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { textOf } from './content.ts';

const NEW = 'createMessage';

export const kept = requirement({
  id: 'messages.create.text-kept',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Messages and message files',
  says: 'The text of a new message is what was given as its content.',
  on: only(answers(NEW), ({ asked }) => text(asked, 'content') !== undefined),
  check: ({ asked, answer }) => {
    const [wanted, actual] = [text(asked, 'content'), textOf(answer)];
    return actual === wanted ? [] : [{ at: '/content', expected: JSON.stringify(wanted), actual }];
  },
  breaks: {
    'other words': inAnswer(NEW, put('/content/0/text/value', 'Other words.')),
    'said twice': inAnswer(
      NEW,
      put('/content', (parts) => [...list(parts), ...list(parts)]),
    ),
    nothing: inAnswer(NEW, put('/content', [])),
  },
});

export const noRun = requirement({
  id: 'messages.create.no-run',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Message',
  says: 'A message that a caller makes is of no run.',
  on: only(answers(NEW), ({ answer }) => get(answer, 'run_id') !== undefined),
  check: ({ answer }) => {
    const actual = get(answer, 'run_id');
    return actual === null ? [] : [{ at: '/run_id', expected: 'null', actual }];
  },
  breaks: {
    'of a run': inAnswer(NEW, put('/run_id', 'run_of_nobody')),
    'an empty name': inAnswer(NEW, put('/run_id', '')),
  },
});

export const noAuthor = requirement({
  id: 'messages.create.user-names-no-assistant',
  level: 'MUST',
  basis: 'implied',
  spec: '1 Message',
  says: 'A message of a user names no assistant as its author.',
  on: only(answers(NEW), ({ asked, answer }) => {
    return get(asked, 'role') === 'user' && get(answer, 'assistant_id') !== undefined;
  }),
  check: ({ answer }) => {
    const actual = get(answer, 'assistant_id');
    return actual === null ? [] : [{ at: '/assistant_id', expected: 'null', actual }];
  },
  breaks: {
    'of an assistant': inAnswer(NEW, put('/assistant_id', 'asst_of_nobody')),
    'an empty name': inAnswer(NEW, put('/assistant_id', '')),
  },
});

export const noRunAtFirst = requirement({
  id: 'messages.list.no-run-at-first',
  level: 'MUST',
  basis: 'stated',
  spec: '1 Message',
  says: 'The messages that a thread is created with are of no run.',
  on: only(ofThread(), ({ after }) => list(after.answer, 'data').length > 0),
  check: ({ after }) =>
    list(after.answer, 'data').flatMap((message, i) => {
      const actual = get(message, 'run_id') ?? null;
      return actual === null ? [] : [{ at: `/data/${i}/run_id`, expected: 'null', actual }];
    }),
  breaks: {
    'of a run': inAnswer('listMessages', put('/data/*/run_id', 'run_of_nobody')),
    'one of a run': inAnswer('listMessages', put('/data/0/run_id', 'run_of_nobody')),
  },
});

/** A list of a thread that no run has touched; it counts for messages. */
function ofThread() {
  const told = successions({
    first: 'createThread',
    later: 'listMessages',
    until: ['createRun'],
    about: ({ path, answer }) => path['thread_id'] ?? text(answer, 'id'),
  });
  return { ...told, operations: ['listMessages', 'createThread', 'createRun'] };
}
