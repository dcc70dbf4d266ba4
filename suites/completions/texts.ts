import {
  type ChoiceReader,
  type CompletionBounds,
  finishOf,
  requestedChoiceCount,
  type StreamedChoice,
  type WholeCompletion,
  wholeCompletions,
} from '../chat/completions.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import type { Json, Selector } from '../vocabulary/types.ts';

export interface TextChoice {
  readonly index: number | undefined;
  /** The place for findings: a JSON pointer; for a stream, the event of the last part of the choice, and a pointer. */
  readonly at: string;
  readonly text: string | undefined;
  readonly finish: string | undefined;
  /** The log probabilities of the choice or, in a stream, of each piece that has any. */
  readonly logprobs: readonly { readonly at: string; readonly value: Json }[];
}

/** Rows read these members by name. */
interface Prompts extends CompletionBounds {
  readonly prompts: readonly (string | null)[];
  /** Whether the beginning of an echoed text shows which of several prompts it continues. */
  readonly are_distinct: () => boolean;
  /** Whether the prompts are longer than the text can be. */
  readonly are_out_of_reach: () => boolean;
  /** The total number of tokens of the prompts; undefined unless they are lists of tokens. */
  readonly tokens_sent: () => number | undefined;
}

export type TextCompletion = WholeCompletion<TextChoice> & Prompts;

/** Assumed maximum length of a token, in characters. */
export const MAX_TOKEN_LENGTH = 64;

export const TEXT_CHOICES: ChoiceReader<TextChoice> = { readChoice, joinParts };

export const allTextCompletions: Selector<TextCompletion> = wholeCompletions(
  'createCompletion',
  TEXT_CHOICES,
  (asked, choices): Prompts => {
    const prompts = promptsOf(asked);
    return {
      due: () => {
        const each = requestedChoiceCount(asked);
        return each === undefined ? undefined : each * prompts.length;
      },
      most_tokens: () => mostTextTokens(asked, choices.length),
      least_tokens: () => choices.filter((choice) => generatedText(choice, { asked, prompts })).length,
      prompts,
      are_distinct: () =>
        prompts.length > 1 &&
        prompts.every((one, i) => one && !prompts.some((other, j) => i !== j && other?.startsWith(one))),
      are_out_of_reach: () => {
        const longest = MAX_TOKEN_LENGTH * (numberAt(asked, 'max_tokens') ?? Number.POSITIVE_INFINITY);
        return prompts.every((prompt) => (prompt?.length ?? 0) > longest);
      },
      tokens_sent: () => {
        const tokens = arrayAt(asked, 'prompt');
        return tokens.length === 0 || tokens.some((one) => typeof one === 'string')
          ? undefined
          : tokens.flat().length;
      },
    };
  },
);

export const textCompletions: Selector<TextCompletion> = where(
  allTextCompletions,
  that('with a choice', ({ choices }) => choices.length > 0),
);

/** The prompts of a request, each as text, or null if it consists of tokens; without the field, one empty prompt. */
function promptsOf(asked: Json | undefined): readonly (string | null)[] {
  const prompt = valueAtPath(asked, 'prompt') ?? '';
  if (!Array.isArray(prompt)) return [typeof prompt === 'string' ? prompt : null];
  if (prompt.length > 0 && prompt.every((part) => typeof part === 'number')) return [null];
  return prompt.map((part) => (typeof part === 'string' ? part : null));
}

/**
 * The tokens that max_tokens allows in all texts for a request; undefined without max_tokens, and with echo, because
 * the tokens of the prompts may then be counted as well. The count may include generated tokens that are not shown.
 */
export function mostTextTokens(asked: Json | undefined, choiceCount: number): number | undefined {
  const most = numberAt(asked, 'max_tokens');
  if (most === undefined || valueAtPath(asked, 'echo') === true) return undefined;
  const each = numberAt(asked, 'best_of') ?? numberAt(asked, 'n') ?? 1;
  return most * Math.max(choiceCount, each * promptsOf(asked).length);
}

/** The text of a choice without an echoed prompt; null if such a prompt consists of tokens, whose text is unknown. */
export function generatedText(
  { text = '' }: TextChoice,
  { asked, prompts }: Pick<TextCompletion, 'asked' | 'prompts'>,
): string | null {
  if (valueAtPath(asked, 'echo') !== true) return text;
  const lengths = prompts.flatMap((one) => (one !== null && text.startsWith(one) ? [one.length] : []));
  // If several prompts match, one of which is a prefix of another, the longest is removed.
  return prompts.includes(null) ? null : text.slice(Math.max(0, ...lengths));
}

function joinParts({ index, parts }: StreamedChoice): TextChoice {
  const pieces = parts.flatMap(({ piece }) => textAt(piece, 'text') ?? []);
  return {
    index,
    at: parts.at(-1)?.at ?? '',
    text: pieces.length === 0 ? undefined : pieces.join(''),
    finish: finishOf(parts),
    logprobs: parts.flatMap(({ at, piece }) => logprobsOf(piece, at)),
  };
}

function readChoice(choice: Json, i: number): TextChoice {
  const at = `/choices/${i}`;
  return {
    index: numberAt(choice, 'index'),
    at,
    text: textAt(choice, 'text'),
    finish: textAt(choice, 'finish_reason'),
    logprobs: logprobsOf(choice, at),
  };
}

function logprobsOf(choice: Json, at: string): TextChoice['logprobs'] {
  const value = valueAtPath(choice, 'logprobs') ?? null;
  return hasNumber(value) ? [{ at: `${at}/logprobs`, value }] : [];
}

/** Whether a value contains log probabilities: their form is not specified, but they always contain a number. */
function hasNumber(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'number';
  return Object.values(value).some(hasNumber);
}
