import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { everywhere, firstOf, inAnswer, inEvent, where } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, number } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { choicesInWords, hasChoices } from '../chat/chunks.ts';
import { allTexts, promptsOf, texts, textsFor } from './texts.ts';

const TEXTS = 'createCompletion';
const SPEC = '2 Text completions';

export const choicesAsAsked = requirement({
  id: 'completions.text.choices-as-asked',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'Each prompt is continued n times.',
  on: only(allTexts(), ({ asked }) => number(asked, 'n') !== undefined && hasPrompts(asked)),
  check: ({ choices, asked }) => {
    const due = (number(asked, 'n') ?? 1) * promptsOf(asked).length;
    return choices.length === due
      ? []
      : [{ at: '/choices', expected: choicesInWords(due), actual: choices.length }];
  },
  breaks: {
    'one too few': inAnswer(TEXTS, remove('/choices/0')),
    'one too many': inAnswer(TEXTS, put('/choices', doubled)),
    'one more in a stream': inEvent(TEXTS, firstOf(where(hasChoices)), put('/choices/0/index', 77)),
  },
});

export const someChoice = requirement({
  id: 'completions.text.each-prompt-continued',
  level: 'MUST',
  basis: 'stated',
  spec: '2 What the service does',
  says: 'Each prompt is continued at least once if n is not given.',
  on: only(allTexts(), ({ asked }) => number(asked, 'n') === undefined && hasPrompts(asked)),
  check: ({ choices, asked }) => {
    const due = promptsOf(asked).length;
    return choices.length >= due
      ? []
      : [{ at: '/choices', expected: `at least ${choicesInWords(due)}`, actual: choices.length }];
  },
  breaks: {
    'none at all': inAnswer(TEXTS, put('/choices', [])),
    'one too few': inAnswer(TEXTS, remove('/choices/0')),
  },
});

export const indexesCount = requirement({
  id: 'completions.text.indexes-count-up',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Text completion',
  says: 'The choices of a completion have each an index of its own.',
  on: texts(),
  check: ({ choices }) => {
    const indexes = choices.map(({ index }) => index ?? -1);
    return new Set(indexes).size === indexes.length
      ? []
      : [{ at: '/choices', expected: 'each index once', actual: indexes }];
  },
  breaks: {
    'all the same': inAnswer(TEXTS, put('/choices/*/index', 3)),
    'the last as the first': inAnswer(TEXTS, put('/choices/1/index', 0)),
  },
});

export const echoed = requirement({
  id: 'completions.text.echo-begins-with-prompt',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'With echo a text begins with its prompt.',
  on: textsFor((asked) => get(asked, 'echo') === true && promptsOf(asked).every(isText)),
  check: ({ choices, asked }) =>
    choices
      .filter((choice) => !promptsOf(asked).some((prompt) => choice.text?.startsWith(prompt ?? '')))
      .map((choice) => ({
        at: `${choice.at}/text`,
        expected: `${promptsOf(asked)
          .map((prompt) => JSON.stringify(prompt))
          .join(' or ')} at the beginning`,
        actual: choice.text,
      })),
  breaks: {
    'no prompt': inAnswer(TEXTS, put('/choices/*/text', '')),
    'half of it': inAnswer(
      TEXTS,
      put('/choices/0/text', (old) => String(old).slice(5)),
    ),
    'the prompt at the end': everywhere(TEXTS, promptLast),
    'no prompt in a stream': inEvent(TEXTS, where(hasChoices), put('/choices/*/text', 'and then')),
  },
});

export const eachEchoed = requirement({
  id: 'completions.text.each-prompt-n-times',
  level: 'MUST',
  basis: 'stated',
  spec: SPEC,
  says: 'Of several prompts each is continued equally often.',
  on: textsFor((asked) => get(asked, 'echo') === true && areTold(promptsOf(asked))),
  check: ({ choices, asked }) => {
    const prompts = promptsOf(asked).filter(isText);
    const found = prompts.map((prompt) => choices.filter((choice) => choice.text?.startsWith(prompt)).length);
    const most = Math.max(...found);
    return prompts.flatMap((prompt, n) => {
      const actual = found[n] ?? 0;
      const expected = `${most} that continue ${JSON.stringify(prompt)}, as many as of the others`;
      return actual === most ? [] : [{ at: '/choices', expected, actual }];
    });
  },
  breaks: {
    'all continue the first': everywhere(TEXTS, allOfFirst),
    'one is left out': inAnswer(TEXTS, remove('/choices/0')),
  },
});

export const notEchoed = requirement({
  id: 'completions.text.no-echo-unasked',
  level: 'MUST',
  basis: 'implied',
  spec: SPEC,
  says: 'Without echo the prompt is no part of a text.',
  on: textsFor((asked) => (get(asked, 'echo') ?? false) === false && isBeyondReach(asked)),
  check: ({ choices, asked }) =>
    choices
      .filter((choice) => promptsOf(asked).some((prompt) => choice.text?.includes(prompt ?? '')))
      .map((choice) => ({
        at: `${choice.at}/text`,
        expected: 'a text without the prompt',
        actual: choice.text,
      })),
  breaks: {
    'the prompt first': everywhere(TEXTS, promptFirst),
    'the prompt last': everywhere(TEXTS, promptLast),
  },
});

/** How many texts an empty list of prompts asks for is not shown. */
function hasPrompts(asked: Json | undefined): boolean {
  return promptsOf(asked).length > 0;
}

function isText(prompt: string | null): prompt is string {
  return prompt !== null && prompt !== '';
}

/** Whether a text tells which of several prompts it continues. */
function areTold(prompts: readonly (string | null)[]): boolean {
  if (prompts.length < 2 || !prompts.every(isText)) return false;
  return prompts.every((one, i) => prompts.every((other, j) => i === j || !other.startsWith(one)));
}

/** Whether the prompts are longer than a text can be; no token has so many letters. */
function isBeyondReach(asked: Json | undefined): boolean {
  const longest = 64 * (number(asked, 'max_tokens') ?? Number.POSITIVE_INFINITY);
  return promptsOf(asked).every((prompt) => prompt !== null && prompt.length > longest);
}

function doubled(choices: Json | undefined): Json {
  return [...list(choices), ...list(choices).slice(0, 1)];
}

function promptOf(exchange: Exchange): string {
  return promptsOf(exchange.request.body.json?.value)[0] ?? '';
}

function promptFirst(exchange: Exchange): Exchange {
  return withAnswer(
    exchange,
    put('/choices/0/text', (old) => `${promptOf(exchange)}${old}`),
  );
}

function promptLast(exchange: Exchange): Exchange {
  return withAnswer(exchange, put('/choices/0/text', `and then ${promptOf(exchange)}`));
}

function allOfFirst(exchange: Exchange): Exchange {
  return withAnswer(exchange, put('/choices/*/text', `${promptOf(exchange)} and then`));
}
