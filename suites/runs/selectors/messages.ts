import { arrayAt, listElements, textAt } from '../../vocabulary/json.ts';
import { stateless } from '../../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../../vocabulary/types.ts';
import { runStreamOf, STREAMING_OPERATIONS } from '../streams/run-stream.ts';
import { type RepeatedObject, repeatedObjects } from './repeated-objects.ts';

export const LIST_MESSAGES = 'listMessages';
export const RETRIEVE_MESSAGE = 'retrieveMessage';

/** A message and the place where it is shown: `/data/3`, nothing, or `event 7 `. */
export interface PlacedMessage {
  readonly at: string;
  /** The message object. */
  readonly value: Json;
}

/** One response that shows messages of runs; at least one of them. */
export interface MessageResponse extends Evidence {
  readonly messages: readonly PlacedMessage[];
}

/** Operations whose responses contain messages. */
const TELLING = [...STREAMING_OPERATIONS, LIST_MESSAGES, RETRIEVE_MESSAGE];

/** Every response that shows messages which runs wrote: each as a stream showed it last, or as it is retrieved. */
export const messageResponses: Selector<MessageResponse> = stateless(
  'messages of runs',
  TELLING,
  { needs: 'a message of a run' },
  (call) => {
    const messages = ofRuns(call);
    return messages.length === 0 ? [] : [{ messages, exchanges: [call.exchange] }];
  },
);

/** Messages of runs, seen again. */
export const repeatedMessages: Selector<RepeatedObject> = repeatedObjects({
  operations: TELLING,
  find: ofRuns,
});

/** Messages that came with the request of a run; whether they have its id is left open. */
export function givenMessages(asked: Json | undefined): readonly Json[] {
  return [...arrayAt(asked, 'additional_messages'), ...arrayAt(asked, 'thread', 'messages')];
}

/** The messages that an answer lists, or the one that it retrieves. */
export function placedMessages({ operation, responseJson: answer }: Call): readonly PlacedMessage[] {
  if (operation.id === LIST_MESSAGES) return listElements(answer);
  return operation.id === RETRIEVE_MESSAGE && answer !== undefined ? [{ at: '', value: answer }] : [];
}

/** Messages of a response that were written by a run. */
function ofRuns(call: Call): readonly PlacedMessage[] {
  const stream = runStreamOf(call);
  if (stream === null)
    return placedMessages(call).filter(({ value }) => textAt(value, 'run_id') !== undefined);
  const others = stream.unlisted.filter(({ data }) => textAt(data, 'object') === 'thread.message');
  const last = stream.messages.map(({ id, events }) => {
    const over = others.findLast(({ data }) => textAt(data, 'id') === id);
    return over ?? events.findLast(({ verb }) => verb !== 'delta');
  });
  return last.flatMap((event) =>
    event?.data === undefined ? [] : [{ at: `${event.at} `, value: event.data }],
  );
}
