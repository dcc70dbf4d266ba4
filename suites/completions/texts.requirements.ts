import { everyPiece } from '../chat/chunks.ts';
import { mayBeCut, stopsOf, uncountedChoices } from '../chat/replies.ts';
import { rowOf } from '../rows/rows.ts';
import { inEveryResponse, setInEvent, setValue } from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { numberAt } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange } from '../vocabulary/types.ts';
import {
  allTextCompletions,
  generatedText,
  mostTextTokens,
  type TextCompletion,
  textCompletions,
  textCompletionsFor,
} from './texts.ts';

const { stated } = section('2 Text completions');
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

export const completionsTextTokensBounded = rowOf('completions.text.tokens-bounded', {
  evidence: textCompletions,
  check: ({ asked, usage, choices }) => {
    const used = numberAt(usage, 'completion_tokens') ?? 0;
    const all = mostTextTokens(asked, choices.length);
    return all === undefined || used <= all
      ? []
      : [violation('/usage/completion_tokens', `at most ${all}`, used)];
  },
});

export const completionsUsageCountsEveryChoice = rowOf('completions.usage.counts-every-choice', {
  evidence: allTextCompletions,
  check: ({ asked, usage, choices }) => uncountedChoices(asked, usage, choices),
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
