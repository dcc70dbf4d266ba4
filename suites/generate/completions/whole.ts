// Completions of chats and of texts as a whole: an answer in one piece, or the joined parts of a stream.

import { arrayAt, valueAtPath } from '../../vocabulary/json.ts';
import { stateless, streamOf } from '../../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../../vocabulary/types.ts';
import { byChoice, type StreamedChoice, streamedUsage } from './streams.ts';

/** A completion, streamed or not. */
export interface WholeCompletion<C> extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly streamed: boolean;
  readonly choices: readonly C[];
  readonly usage: Json | undefined;
}

/** How a choice is read. */
interface ChoiceReader<C> {
  /** A choice of an answer, and its place among them. */
  readonly whole: (choice: Json, i: number) => C;
  /** The parts of a choice of a stream, which are joined. */
  readonly joined: (choice: StreamedChoice) => C;
}

/** Every complete response of an operation; of streams only those that ended without an interruption. */
export function wholeCompletions<C>(operation: string, read: ChoiceReader<C>): Selector<WholeCompletion<C>> {
  return stateless<WholeCompletion<C>>(
    `whole ${operation}`,
    operation,
    { needs: `a whole answer or stream of ${operation}` },
    (call) => {
      const stream = streamOf(call);
      const common = { exchanges: [call.exchange], call, asked: call.requestJson };
      if (stream?.ended === true) {
        const choices = byChoice(stream.chunks).map(read.joined);
        return [{ ...common, streamed: true, choices, usage: streamedUsage(stream.chunks) }];
      }
      const { responseJson: answer } = call;
      if (stream !== null || answer === undefined) return [];
      const choices = arrayAt(answer, 'choices').map(read.whole);
      return [{ ...common, streamed: false, choices, usage: valueAtPath(answer, 'usage') }];
    },
  );
}
