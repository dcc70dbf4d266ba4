import { everyPiece, usageChunk } from '../chat/selectors/picks.ts';
import { mayBeCut, stopsOf, withUsedTokens } from '../chat/selectors/replies.ts';
import { inEveryResponse, setIn, setInEvent, setValue } from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { numberAt } from '../vocabulary/json.ts';
import { asksNumber, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json } from '../vocabulary/types.ts';
import {
  generatedText,
  mostTextTokens,
  type TextCompletion,
  textCompletions,
  textCompletionsFor,
  unechoed,
} from './texts.ts';

const { stated, implied } = section('2 Text completions');
const TEXTS = 'createCompletion';

/** A text that max_tokens cut before any stop sequence came shows nothing. */
const stoppable = that<TextCompletion>(
  'with a text that ended before max_tokens, or has a stop sequence in it',
  (completion) => !mayBeCut(completion) || holdsStop(completion),
);

export const completionsTextStopLeftOut = stated('completions.text.stop-left-out', {
  says: 'A stop sequence is not in the text that it ends, and nothing follows it.',
  selector: where(
    textCompletionsFor(that('whose request has stop sequences', (asked) => stopsOf(asked).length > 0)),
    stoppable,
  ),
  check: ({ choices, asked }) =>
    stopsOf(asked).flatMap((stop) =>
      choices
        .filter((choice) => generatedText(choice, asked)?.includes(stop) === true)
        .map((choice) =>
          violation(`${choice.at}/text`, `an end before ${JSON.stringify(stop)}`, choice.text),
        ),
    ),
  mutations: {
    'goes on': inEveryResponse(TEXTS, (exchange) => withStop(exchange, (stop) => `before ${stop} after`)),
    'ends with it': inEveryResponse(TEXTS, (exchange) => withStop(exchange, (stop) => `before ${stop}`)),
    'ends with the last of them': inEveryResponse(TEXTS, (exchange) =>
      withStop(exchange, (_, stop) => `before ${stop}`),
    ),
    'ends with it in a stream': setInEvent(TEXTS, everyPiece, '/choices/*/text', '7'),
  },
});

export const completionsTextTokensBounded = implied('completions.text.tokens-bounded', {
  says: 'A text is no longer than max_tokens tokens.',
  selector: where(textCompletions, asksNumber('max_tokens'), unechoed, withUsedTokens),
  check: ({ asked, usage, choices }) => {
    const used = numberAt(usage, 'completion_tokens') ?? 0;
    const all = mostTextTokens(asked, choices.length);
    return all === undefined || used <= all
      ? []
      : [violation('/usage/completion_tokens', `at most ${all}`, used)];
  },
  mutations: {
    'more than asked for': setIn(TEXTS, '/usage/completion_tokens', 1_000_000),
    'more in a stream': setInEvent(TEXTS, usageChunk, '/usage/completion_tokens', 1_000_000),
  },
});

const wantingLogprobs = that<Json | undefined>(
  'whose request has logprobs above 0',
  (asked) => (numberAt(asked, 'logprobs') ?? 0) > 0,
);

export const completionsTextLogprobsWhenAsked = stated('completions.text.logprobs-when-asked', {
  says: 'A text carries log probabilities if logprobs asks for some.',
  selector: textCompletionsFor(wantingLogprobs),
  check: ({ choices, streamed }) =>
    choices
      .filter((choice) => choice.text !== undefined && choice.text !== '' && choice.logprobs.length === 0)
      .map(({ at }) =>
        violation(`${at}/logprobs`, streamed ? 'log probabilities in some piece' : 'log probabilities', null),
      ),
  mutations: {
    'left out': setIn(TEXTS, '/choices/*/logprobs', null),
    'left out of a stream': setInEvent(TEXTS, everyPiece, '/choices/*/logprobs', null),
  },
});

/** Whether a text goes on behind a stop sequence, or ends with it. */
function holdsStop({ choices, asked }: TextCompletion): boolean {
  return stopsOf(asked).some((stop) =>
    choices.some((choice) => generatedText(choice, asked)?.includes(stop) === true),
  );
}

function withStop(exchange: Exchange, write: (first: string, last: string) => string): Exchange {
  const stops = stopsOf(exchange.request.body.json?.value);
  const [first] = stops;
  const last = stops.at(-1);
  if (first === undefined || last === undefined) return exchange;
  return withResponseJson(exchange, setValue('/choices/0/text', write(first, last)));
}
