import { choicesInWords, everyPiece } from '../chat/chunks.ts';
import { rowOf } from '../rows/rows.ts';
import { inEveryResponse, removeIn, setIn, setInEvent, setValue } from '../vocabulary/changes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { numberAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, asksNumber, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json } from '../vocabulary/types.ts';
import {
  allTextCompletions,
  promptsOf,
  type TextCompletion,
  textCompletions,
  textCompletionsFor,
} from './texts.ts';

const { stated, implied } = section('2 Text completions');
const TEXTS = 'createCompletion';

const withPrompts = that<TextCompletion>('whose request has prompts', ({ asked }) => hasPrompts(asked));

export const completionsTextChoicesAsAsked = rowOf('completions.text.choices-as-asked', {
  evidence: where(allTextCompletions, asksNumber('n'), withPrompts),
  check: ({ choices, asked }) => {
    const due = (numberAt(asked, 'n') ?? 1) * promptsOf(asked).length;
    return choices.length === due ? [] : [violation('/choices', choicesInWords(due), choices.length)];
  },
});

const uncounted = that<TextCompletion>(
  'whose request has no number as n',
  ({ asked }) => numberAt(asked, 'n') === undefined,
);

export const completionsTextEachPromptContinued = rowOf('completions.text.each-prompt-continued', {
  evidence: where(allTextCompletions, uncounted, withPrompts),
  check: ({ choices, asked }) => {
    const due = promptsOf(asked).length;
    return choices.length >= due
      ? []
      : [violation('/choices', `at least ${choicesInWords(due)}`, choices.length)];
  },
});

const ofTexts = that<TextCompletion>('whose request has prompts of text', ({ asked }) =>
  promptsOf(asked).every(isText),
);

export const completionsTextEchoBeginsWithPrompt = stated('completions.text.echo-begins-with-prompt', {
  says: 'With echo a text begins with its prompt.',
  selector: where(textCompletions, asks('echo', true), ofTexts),
  check: ({ choices, asked }) =>
    choices
      .filter((choice) => !promptsOf(asked).some((prompt) => choice.text?.startsWith(prompt ?? '')))
      .map((choice) =>
        violation(
          `${choice.at}/text`,
          `${promptsOf(asked)
            .map((prompt) => JSON.stringify(prompt))
            .join(' or ')} at the beginning`,
          choice.text,
        ),
      ),
  mutations: {
    'no prompt': setIn(TEXTS, '/choices/*/text', ''),
    'half of it': setIn(TEXTS, '/choices/0/text', (old) => String(old).slice(5)),
    'the prompt at the end': inEveryResponse(TEXTS, promptLast),
    'no prompt in a stream': setInEvent(TEXTS, everyPiece, '/choices/*/text', 'and then'),
  },
});

const echoingEach = that<Json | undefined>(
  'whose request has echo true and prompts that differ from their beginning on',
  (asked) => valueAtPath(asked, 'echo') === true && areTold(promptsOf(asked)),
);

export const completionsTextEachPromptNTimes = stated('completions.text.each-prompt-n-times', {
  says: 'Of several prompts each is continued equally often.',
  selector: textCompletionsFor(echoingEach),
  check: ({ choices, asked }) => {
    const prompts = promptsOf(asked).filter(isText);
    const found = prompts.map((prompt) => choices.filter((choice) => choice.text?.startsWith(prompt)).length);
    const most = Math.max(...found);
    return prompts.flatMap((prompt, n) => {
      const actual = found[n] ?? 0;
      const expected = `${most} that continue ${JSON.stringify(prompt)}, as many as of the others`;
      return actual === most ? [] : [violation('/choices', expected, actual)];
    });
  },
  mutations: {
    'the first prompt only': inEveryResponse(TEXTS, allOfFirst),
    'one is left out': removeIn(TEXTS, '/choices/0'),
  },
});

const unechoed = that<Json | undefined>(
  'whose request has no echo, and prompts that a model does not repeat by itself',
  (asked) => (valueAtPath(asked, 'echo') ?? false) === false && isBeyondReach(asked),
);

export const completionsTextNoEchoUnasked = implied('completions.text.no-echo-unasked', {
  says: 'Without echo the prompt is not part of a text.',
  selector: textCompletionsFor(unechoed),
  check: ({ choices, asked }) =>
    choices
      .filter((choice) => promptsOf(asked).some((prompt) => choice.text?.includes(prompt ?? '')))
      .map((choice) => violation(`${choice.at}/text`, 'a text without the prompt', choice.text)),
  mutations: {
    'the prompt first': inEveryResponse(TEXTS, promptFirst),
    'the prompt last': inEveryResponse(TEXTS, promptLast),
  },
});

/** Not an empty list of prompts: the number of its texts is left open. */
function hasPrompts(asked: Json | undefined): boolean {
  return promptsOf(asked).length > 0;
}

function isText(prompt: string | null): prompt is string {
  return prompt !== null && prompt !== '';
}

/** Whether the begin of a text shows which of several prompts it continues. */
function areTold(prompts: readonly (string | null)[]): boolean {
  if (prompts.length < 2 || !prompts.every(isText)) return false;
  return prompts.every((one, i) => prompts.every((other, j) => i === j || !other.startsWith(one)));
}

/** Whether the prompts are longer than the text can be: no token has so many letters. */
function isBeyondReach(asked: Json | undefined): boolean {
  const longest = 64 * (numberAt(asked, 'max_tokens') ?? Number.POSITIVE_INFINITY);
  return promptsOf(asked).every((prompt) => prompt !== null && prompt.length > longest);
}

function promptOf(exchange: Exchange): string {
  return promptsOf(exchange.request.body.json?.value)[0] ?? '';
}

function promptFirst(exchange: Exchange): Exchange {
  return withResponseJson(
    exchange,
    setValue('/choices/0/text', (old) => `${promptOf(exchange)}${old}`),
  );
}

function promptLast(exchange: Exchange): Exchange {
  return withResponseJson(exchange, setValue('/choices/0/text', `and then ${promptOf(exchange)}`));
}

function allOfFirst(exchange: Exchange): Exchange {
  return withResponseJson(exchange, setValue('/choices/*/text', `${promptOf(exchange)} and then`));
}
