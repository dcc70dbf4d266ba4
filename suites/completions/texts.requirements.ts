import type { Exchange } from '../../exchange/exchange.ts';
import { everywhere, inAnswer, inEvent, where } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put } from '../../judge/edit/values.ts';
import { get, number } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { hasChoices, isUsage } from '../chat/chunks.ts';
import { stopsOf } from '../chat/replies.ts';
import { promptsOf, textsFor, written } from './texts.ts';

const TEXTS = 'createCompletion';
const SPEC = '2 Text completions';
const LOGPROBS = { tokens: ['a'], token_logprobs: [-0.1] };

export const stopLeftOut = requirement({
  id: 'completions.text.stop-left-out',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A stop sequence is not in the text that it ends, and nothing follows it.',
  on: textsFor((asked) => stopsOf(asked).length > 0),
  check: ({ choices, asked }) =>
    stopsOf(asked).flatMap((stop) =>
      choices
        .filter((choice) => written(choice, asked)?.includes(stop) === true)
        .map((choice) => ({
          at: `${choice.at}/text`,
          expected: `an end before ${JSON.stringify(stop)}`,
          actual: choice.text,
        })),
    ),
  breaks: {
    'goes on': everywhere(TEXTS, (exchange) => withStop(exchange, (stop) => `before ${stop} after`)),
    'ends with it': everywhere(TEXTS, (exchange) => withStop(exchange, (stop) => `before ${stop}`)),
    'ends with the last of them': everywhere(TEXTS, (exchange) =>
      withStop(exchange, (_, stop) => `before ${stop}`),
    ),
    'ends with it in a stream': inEvent(TEXTS, where(hasChoices), put('/choices/*/text', '7')),
  },
});

export const tokensBounded = requirement({
  id: 'completions.text.tokens-bounded',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A text is no longer than max_tokens tokens.',
  on: only(
    textsFor((asked) => number(asked, 'max_tokens') !== undefined && get(asked, 'echo') !== true),
    ({ usage }) => number(usage, 'completion_tokens') !== undefined,
  ),
  check: ({ asked, usage, choices }) => {
    const used = number(usage, 'completion_tokens') ?? 0;
    // Those that were written and not shown may be counted too.
    const each = Math.max(
      choices.length,
      (number(asked, 'best_of') ?? number(asked, 'n') ?? 1) * promptsOf(asked).length,
    );
    const all = (number(asked, 'max_tokens') ?? 0) * each;
    return used <= all ? [] : [{ at: '/usage/completion_tokens', expected: `at most ${all}`, actual: used }];
  },
  breaks: {
    'more than asked for': inAnswer(TEXTS, put('/usage/completion_tokens', 1_000_000)),
    'more in a stream': inEvent(TEXTS, where(isUsage), put('/usage/completion_tokens', 1_000_000)),
  },
});

export const logprobsWhenAsked = requirement({
  id: 'completions.text.logprobs-when-asked',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'A text carries log probabilities if logprobs asks for some.',
  on: textsFor((asked) => (number(asked, 'logprobs') ?? 0) > 0),
  check: ({ choices, streamed }) =>
    choices
      .filter((choice) => choice.text !== undefined && choice.text !== '' && choice.logprobs.length === 0)
      .map(({ at }) => ({
        at: `${at}/logprobs`,
        expected: streamed ? 'log probabilities in some piece' : 'log probabilities',
        actual: null,
      })),
  breaks: {
    'left out': inAnswer(TEXTS, put('/choices/*/logprobs', null)),
    'left out of a stream': inEvent(TEXTS, where(hasChoices), put('/choices/*/logprobs', null)),
  },
});

export const logprobsOnlyWhenAsked = requirement({
  id: 'completions.text.logprobs-only-when-asked',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'A text carries no log probabilities unless logprobs is given.',
  on: textsFor((asked) => (get(asked, 'logprobs') ?? null) === null),
  check: ({ choices }) =>
    choices.flatMap(({ logprobs }) =>
      logprobs.map(({ at, value }) => ({ at, expected: 'null', actual: value })),
    ),
  breaks: {
    'unasked for': inAnswer(TEXTS, put('/choices/*/logprobs', LOGPROBS)),
    'unasked for in a stream': inEvent(TEXTS, where(hasChoices), put('/choices/*/logprobs', LOGPROBS)),
  },
});

function withStop(exchange: Exchange, write: (first: string, last: string) => string): Exchange {
  const stops = stopsOf(exchange.request.body.json?.value);
  const [first] = stops;
  const last = stops.at(-1);
  if (first === undefined || last === undefined) return exchange;
  return withAnswer(exchange, put('/choices/0/text', write(first, last)));
}
