import type { Json } from '../../exchange/http/body.ts';
import { arrayAt, numberAt, textAt } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { streamedPairs } from '../../judge/evidence/selectors/pairs.ts';
import type { JsonEvent } from '../../judge/evidence/selectors/streams.ts';
import { eventsWhere, inEvent, inResponse } from '../../judge/mutations/mutations.ts';
import { removeValue, setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { byChoice, hasChoices, isUsage, streamedUsage } from '../chat/selectors/chunks.ts';
import { differingTexts, indexes, joinTexts, promptTokensOf } from '../chat/selectors/compare.ts';

const { implied } = section('2 Text completion');
const TEXTS = 'createCompletion';

export const completionsPairSameChoices = implied('completions.pair.same-choices', {
  says: 'A streamed completion has the choices that the same one has in one piece.',
  selector: streamedPairs(TEXTS),
  check: ({ plain, streamed }) => {
    const expected = indexes(arrayAt(plain[0]?.answer, 'choices'));
    return streamed.flatMap(({ chunks, call }) => {
      const found = byChoice(chunks).map(({ index }) => index);
      const actual = found.sort((a, b) => a - b);
      if (JSON.stringify(actual) === JSON.stringify(expected)) return [];
      return [
        { at: 'indexes of choices', expected: expected.join(', '), actual, exchange: call.exchange.id },
      ];
    });
  },
  mutations: {
    'a choice too many in the stream': inEvent(
      TEXTS,
      eventsWhere(hasChoices),
      setValue('/choices/0/index', 7),
    ),
    'a choice too few in one piece': inResponse(TEXTS, removeValue('/choices/0')),
  },
});

export const completionsPairSamePromptTokens = implied('completions.pair.same-prompt-tokens', {
  says: 'The usage of a stream counts the prompts as the same request without streaming does.',
  selector: where(
    streamedPairs(TEXTS),
    (pair) =>
      promptTokensOf(pair) !== undefined &&
      pair.streamed.some(({ chunks }) => streamedUsage(chunks) !== undefined),
  ),
  check: (pair) =>
    pair.streamed.flatMap(({ chunks, call }) => {
      const actual = numberAt(streamedUsage(chunks), 'prompt_tokens');
      const expected = promptTokensOf(pair);
      if (actual === undefined || actual === expected) return [];
      return [{ at: '/usage/prompt_tokens', expected: String(expected), actual, exchange: call.exchange.id }];
    }),
  mutations: {
    'one more': inEvent(
      TEXTS,
      eventsWhere(isUsage),
      setValue('/usage/prompt_tokens', (old) => Number(old) + 1),
    ),
    'none in one piece': inResponse(TEXTS, setValue('/usage/prompt_tokens', 0)),
  },
});

export const completionsPairSameText = implied('completions.pair.same-text', {
  says: 'The joined pieces of a stream are the text of a completion of the same request in one piece.',
  selector: where(streamedPairs(TEXTS), ({ plain }) => plain.some(({ answer }) => textOf(answer) !== null)),
  check: (pair) => differingTexts(pair, '/choices/*/text', textOf, joinedText),
  mutations: {
    'a piece is lost': inEvent(TEXTS, eventsWhere(hasChoices), setValue('/choices/*/text', '')),
    'another text': inResponse(TEXTS, setValue('/choices/*/text', 'something else')),
  },
});

/** The texts of all choices as one text, sorted by index; null where all are without text. */
function textOf(answer: Json): string | null {
  return joinTexts(
    arrayAt(answer, 'choices').map((one) => [numberAt(one, 'index'), textAt(one, 'text')] as const),
  );
}

function joinedText(chunks: readonly JsonEvent[]): string | null {
  const texts = byChoice(chunks).map(({ index, parts }) => {
    const pieces = parts.map(({ piece }) => textAt(piece, 'text'));
    return [index, pieces.every((piece) => piece === undefined) ? undefined : pieces.join('')] as const;
  });
  return joinTexts(texts);
}
