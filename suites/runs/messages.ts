import type { Json } from '../../exchange/body.ts';
import type { Call } from '../../judge/call.ts';
import { elements, list, text } from '../../judge/json.ts';
import type { Evidence, Selector } from '../../judge/requirement.ts';
import { stateless } from '../../judge/selectors/answers.ts';
import { type Return, returns } from './sightings.ts';
import { STREAMING, taleOf } from './tale.ts';

export const LIST = 'listMessages';
export const RETRIEVE = 'retrieveMessage';

/** A message and where it is told: `/data/3`, nothing, or `event 7 `. */
export interface PlacedMessage {
  readonly at: string;
  readonly value: Json;
}

/** One answer that tells messages of runs; at least one of them. */
export interface MessageAnswer extends Evidence {
  readonly messages: readonly PlacedMessage[];
}

const TELLING = [...STREAMING, LIST, RETRIEVE];

/** Every answer that tells messages which runs wrote: each as a stream told it last, or as it is looked at. */
export function messageAnswers(): Selector<MessageAnswer> {
  return stateless('messages of runs', TELLING, {}, (call) => {
    const messages = ofRuns(call);
    return messages.length === 0 ? [] : [{ messages, exchanges: [call.exchange] }];
  });
}

/** Messages of runs, seen again. */
export const messageReturns: Selector<Return> = returns({ operations: TELLING, find: ofRuns });

/** Messages that came with the request of a run; whether they have its id is left open. */
export function givenMessages(asked: Json | undefined): readonly Json[] {
  return [...list(asked, 'additional_messages'), ...list(asked, 'thread', 'messages')];
}

/** The messages that an answer lists, or the one that it retrieves. */
export function placed({ operation, answer }: Call): readonly PlacedMessage[] {
  if (operation.id === LIST) return elements(answer);
  return operation.id === RETRIEVE && answer !== undefined ? [{ at: '', value: answer }] : [];
}

function ofRuns(call: Call): readonly PlacedMessage[] {
  const tale = taleOf(call);
  if (tale === null) return placed(call).filter(({ value }) => text(value, 'run_id') !== undefined);
  const others = tale.unlisted.filter(({ data }) => text(data, 'object') === 'thread.message');
  const last = tale.messages.map(({ id, told }) => {
    const over = others.findLast(({ data }) => text(data, 'id') === id);
    return over ?? told.findLast(({ verb }) => verb !== 'delta');
  });
  return last.flatMap((event) =>
    event?.data === undefined ? [] : [{ at: `${event.at} `, value: event.data }],
  );
}
