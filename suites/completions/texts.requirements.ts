import { plural } from '../../schemas/message-text.ts';
import { forcedTokenWords, requestedChoiceCount } from '../chat/completions.ts';
import { rowOf } from '../rows/rows.ts';
import { arrayAt, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { streamOf, that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { generatedText, MAX_TOKEN_LENGTH, type TextCompletion, textCompletions } from './texts.ts';

export const completionsTextEchoBeginsWithPrompt = rowOf('completions.text.echo-begins-with-prompt', {
  evidence: textCompletions,
  check: ({ choices, prompts }) => {
    const quoted = prompts.map((prompt) => JSON.stringify(prompt)).join(' or ');
    return choices
      .filter(({ text }) => !prompts.some((prompt) => text?.startsWith(prompt ?? '')))
      .map(({ at, text }) => violation(`${at}/text`, `${quoted} at the beginning`, text));
  },
});

export const completionsTextEachPromptNTimes = rowOf('completions.text.each-prompt-n-times', {
  evidence: textCompletions,
  check: ({ choices, prompts }) => {
    const counts = prompts.map(
      (prompt) => choices.filter(({ text }) => prompt !== null && text?.startsWith(prompt)).length,
    );
    const most = Math.max(...counts);
    return prompts.flatMap((prompt, i) => {
      const expected = `${plural(most, 'choice')} for the prompt ${JSON.stringify(prompt)}, as for another one`;
      return counts[i] === most ? [] : [violation('/choices', expected, counts[i])];
    });
  },
});

export const completionsTextNoEchoUnasked = rowOf('completions.text.no-echo-unasked', {
  evidence: textCompletions,
  check: ({ choices, prompts }) =>
    choices
      .filter(({ text }) => prompts.some((prompt) => text?.includes(prompt ?? '')))
      .map(({ at, text }) => violation(`${at}/text`, 'a text without the prompt', text)),
});

/** Excludes texts that max_tokens cut off before any stop sequence: they prove nothing. */
const withEndOrStop = that<TextCompletion>(
  'with a text that ended before max_tokens, or has a stop sequence in it',
  (completion) => !completion.cut() || unremovedStops(completion).length > 0,
);

export const completionsTextStopLeftOut = rowOf('completions.text.stop-left-out', {
  evidence: textCompletions,
  where: [withEndOrStop],
  check: (completion) =>
    unremovedStops(completion).map(({ stop, at, text }) =>
      violation(`${at}/text`, `an end before ${JSON.stringify(stop)}`, text),
    ),
});

function unremovedStops(completion: TextCompletion) {
  return completion
    .stops()
    .flatMap((stop) =>
      completion.choices
        .filter((choice) => generatedText(choice, completion)?.includes(stop) === true)
        .map(({ at, text }) => ({ stop, at, text })),
    );
}

/** Maximum number of counted tokens of a choice that its text does not show: its end, and omitted white space. */
const UNSHOWN_TOKENS = 64;

/**
 * Whether the texts show all counted tokens: no candidate was dropped, no token was biased (which may force one without
 * text), each text has a finish_reason, none was withheld, and none was cut off at a limit above `UNSHOWN_TOKENS`.
 */
function showsItsTokens({ asked, usage, choices }: TextCompletion): boolean {
  const most = numberAt(asked, 'max_tokens') ?? Number.POSITIVE_INFINITY;
  const counted = numberAt(usage, 'completion_tokens') ?? 0;
  const finishReasons = choices.map(({ finish }) => finish ?? 'none');
  const isCut = finishReasons.includes('length') || (counted >= most && counted <= most * choices.length);
  return (
    (numberAt(asked, 'best_of') ?? 1) <= (requestedChoiceCount(asked) ?? 1) &&
    (valueAtPath(asked, 'logit_bias') ?? null) === null &&
    (!isCut || most <= UNSHOWN_TOKENS) &&
    !finishReasons.includes('none') &&
    !finishReasons.includes('content_filter')
  );
}

/** Each shown token has at least one byte of text. Chats have no such requirement: they may count hidden reasoning. */
export const completionsUsageFitsText = rowOf('completions.usage.fits-text', {
  evidence: textCompletions,
  where: [that('whose texts show all tokens', showsItsTokens)],
  check: ({ usage, call, choices, stops }) => {
    const stream = streamOf(call);
    const shown = stream === null ? [call.responseJson] : stream.chunks.map(({ data }) => data);
    const textSize = textBytes(shown.map((answer) => arrayAt(answer, 'choices')));
    // A stop sequence at the end of a text is not shown, and may be the longest one.
    const longestStop = Math.max(0, ...stops().map((stop) => Buffer.byteLength(stop)));
    const most = textSize + choices.length * (UNSHOWN_TOKENS + longestStop);
    const counted = numberAt(usage, 'completion_tokens') ?? 0;
    return counted <= most ? [] : [violation('/usage/completion_tokens', `at most ${most}`, counted)];
  },
});

function textBytes(value: Json): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + textBytes(member), 0);
}

/**
 * The form of log probabilities is not stated, so the text itself must repeat one piece. Only a single text that used
 * up max_tokens is judged: each of its tokens is part of the text, and none marks its end.
 */
export const completionsTextForcedTokenRepeats = rowOf('completions.text.forced-token-repeats', {
  evidence: textCompletions,
  where: [
    that('that used up max_tokens', ({ asked, choices, usage }) => {
      const count = numberAt(usage, 'completion_tokens') ?? 0;
      return choices.length === 1 && count > 1 && count === numberAt(asked, 'max_tokens');
    }),
  ],
  check: ({ asked, choices, usage }) =>
    choices.flatMap(({ at, text = '' }) => {
      const count = numberAt(usage, 'completion_tokens') ?? 1;
      if (isRepetition(text, count)) return [];
      return [violation(`${at}/text`, `one token ${count} times: ${forcedTokenWords(asked)}`, text)];
    }),
});

/** Whether a text is one token `count` times. White space before the first may be omitted, so its length is unknown. */
function isRepetition(text: string, count: number): boolean {
  const longest = (text.length + MAX_TOKEN_LENGTH) / count;
  for (let length = Math.ceil(text.length / count); length <= longest; length++)
    if (text.slice(-length).repeat(count).trimStart() === text.trimStart()) return true;
  return false;
}
