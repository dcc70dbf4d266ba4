import { tryParseJson } from '../../schemas/json.ts';
import { rowOf } from '../rows/rows.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { successions, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { type FollowUp, followUps, MESSAGE_LOOK_UPS } from './follow-ups.ts';
import { type PlacedObject, runResponseOf } from './runs.ts';
import { isJsonMode, joinMessageText } from './streams.ts';

export const runsAdditionalMessagesInThread = rowOf('runs.additional-messages.in-thread', {
  evidence: followUps('listMessages'),
  check: ({ creation, answer }) => missingMessages(arrayAt(creation.asked, 'additional_messages'), answer),
});

export const runsNewThreadHasMessages = rowOf('runs.new-thread.has-messages', {
  evidence: followUps('listMessages'),
  check: ({ creation, answer }) => missingMessages(arrayAt(creation.asked, 'thread', 'messages'), answer),
});

/** The messages of a request that a list lacks. Each must match a different element of the list. */
function missingMessages(messages: readonly Json[], answer: Json): Violation[] {
  const unmatched = [...arrayAt(answer, 'data')];
  return messages.flatMap((message) => {
    const match = unmatched.findIndex((listed) => isShownBy(message, listed));
    if (match !== -1) {
      unmatched.splice(match, 1);
      return [];
    }
    const expected = `a message of ${textAt(message, 'role')}: ${JSON.stringify(textAt(message, 'content'))}`;
    return [violation('/data', expected, arrayAt(answer, 'data').map(joinMessageText))];
  });
}

function isShownBy(message: Json, listed: Json): boolean {
  return (
    valueAtPath(message, 'role') === valueAtPath(listed, 'role') &&
    textAt(message, 'content') === joinMessageText(listed)
  );
}

export const runsAdditionalMessagesBeforeTheRun = rowOf('runs.additional-messages.before-the-run', {
  evidence: followUps('listMessages'),
  check: ({ creation, runMessages, shown }) => {
    const firstTime = Math.min(...runMessages.flatMap((one) => creationTime(one) ?? []));
    return arrayAt(creation.asked, 'additional_messages').flatMap((message): Violation[] => {
      // The same text may occur again later.
      const matches = shown.filter(({ value }) => isShownBy(message, value));
      const [match] = matches;
      if (match === undefined || matches.some((one) => (creationTime(one) ?? 0) <= firstTime)) return [];
      const expected = `at most ${firstTime}, when the run wrote its first message`;
      return [violation(`${match.at}/created_at`, expected, creationTime(match))];
    });
  },
});

function creationTime({ value }: PlacedObject): number | undefined {
  return numberAt(value, 'created_at');
}

export const runsNewThreadFound = rowOf('runs.new-thread.found', {
  evidence: successions({
    first: 'createThreadAndRun',
    later: 'retrieveThread',
    until: ['deleteThread'],
    about: (call) => call.path['thread_id'] ?? textAt(runResponseOf(call)?.runs[0]?.value, 'thread_id'),
  }),
});

export const runsStoredMessagesListed = rowOf('runs.stored.messages-listed', {
  evidence: where(
    followUps('listMessages'),
    that('of this run or of all', ({ after, run }) =>
      [null, textAt(run, 'id')].includes(after.query.get('run_id')),
    ),
  ),
  check: ({ stream, answer }) => {
    const ids = arrayAt(answer, 'data').map((message) => textAt(message, 'id') ?? null);
    return (stream?.messages ?? [])
      .filter(({ id, completed }) => completed !== undefined && !ids.includes(id))
      .map(({ id }) => violation('/data', `an element with id ${id}`, ids));
  },
});

export const runsStoredDeltasAreMessage = rowOf('runs.stored.deltas-are-message', {
  evidence: followUps(...MESSAGE_LOOK_UPS),
  check: ({ streamedObjects }) =>
    streamedObjects.flatMap(({ at, value, streamed: { completed, texts } }) =>
      arrayAt(value, 'content').flatMap((part, i): Violation[] => {
        const [expected, actual] = [texts.get(i) ?? '', textAt(part, 'text', 'value')];
        const isComparable = valueAtPath(part, 'type') === 'text' && completed !== undefined;
        if (!isComparable || actual === expected) return [];
        return [violation(`${at}/content/${i}/text/value`, JSON.stringify(expected), actual)];
      }),
    ),
});

export const runsJsonModeStoredIsJson = rowOf('runs.json-mode.stored-is-json', {
  evidence: where(
    followUps(...MESSAGE_LOOK_UPS),
    that('in JSON mode', ({ creation, run }) => isJsonMode(creation.asked, run)),
    that('with a message that the run completed', (followUp) => writtenMessages(followUp).length > 0),
  ),
  check: (followUp) =>
    writtenMessages(followUp)
      .filter(({ value }) => tryParseJson(joinMessageText(value)) === undefined)
      .map(({ at, value }) => violation(`${at}/content`, 'JSON', joinMessageText(value))),
});

function writtenMessages({ runMessages }: FollowUp): readonly PlacedObject[] {
  return runMessages.filter(
    ({ value }) =>
      valueAtPath(value, 'status') === 'completed' &&
      arrayAt(value, 'content').some((part) => textAt(part, 'text', 'value') !== undefined),
  );
}
