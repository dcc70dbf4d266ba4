import { finishOf, type StreamedChoice } from '../chat/chunks.ts';
import { type WholeCompletion, wholeCompletions } from '../chat/completions.ts';

import { numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { ofRequest, that, where } from '../vocabulary/selectors.ts';
import type { Condition, Json, Selector } from '../vocabulary/types.ts';

/** One choice of a completion; of a stream, the joined parts of its pieces. */
export interface TextChoice {
  readonly index: number | undefined;
  /** Its place for findings: a JSON pointer, or the event that ends the choice. */
  readonly at: string;
  readonly text: string | undefined;
  readonly finish: string | undefined;
  /** Log probabilities; of a stream, those of each piece with any. */
  readonly logprobs: readonly { readonly at: string; readonly value: Json }[];
}

/** A text completion, streamed or not. */
export type TextCompletion = WholeCompletion<TextChoice>;

const withChoices = that<TextCompletion>('with a choice', ({ choices }) => choices.length > 0);

export const unechoed = that<TextCompletion>(
  'whose request does not have echo true',
  ({ asked }) => valueAtPath(asked, 'echo') !== true,
);

/** Every complete response; of streams only those that ended without an interruption. */
export const allTextCompletions: Selector<TextCompletion> = wholeCompletions('createCompletion', {
  whole: choiceOf,
  joined,
});

/** Every complete response that has choices. */
export const textCompletions: Selector<TextCompletion> = where(allTextCompletions, withChoices);

/** Completions of requests of one kind. */
export function textCompletionsFor(asks: Condition<Json | undefined>): Selector<TextCompletion> {
  return where(allTextCompletions, ofRequest(asks), withChoices);
}

/**
 * The prompts of a request as texts; one empty prompt without the field; null where one consists of
 * tokens.
 */
export function promptsOf(asked: Json | undefined): readonly (string | null)[] {
  const prompt = valueAtPath(asked, 'prompt') ?? '';
  if (!Array.isArray(prompt)) return [typeof prompt === 'string' ? prompt : null];
  if (prompt.length > 0 && prompt.every((part) => typeof part === 'number')) return [null];
  return prompt.map((part) => (typeof part === 'string' ? part : null));
}

/**
 * The tokens that max_tokens allows in all texts that are generated for a request; undefined without max_tokens, and with
 * echo, where those of the prompts may be counted as well.
 */
export function mostTextTokens(asked: Json | undefined, shown: number): number | undefined {
  const most = numberAt(asked, 'max_tokens');
  if (most === undefined || valueAtPath(asked, 'echo') === true) return undefined;
  // Tokens that were generated and are not shown may be counted too.
  const each = numberAt(asked, 'best_of') ?? numberAt(asked, 'n') ?? 1;
  return most * Math.max(shown, each * promptsOf(asked).length);
}

/**
 * The text of a choice behind an echoed prompt; null where the prompt consists of tokens, whose text is
 * unknown.
 */
export function generatedText({ text: whole = '' }: TextChoice, asked: Json | undefined): string | null {
  if (valueAtPath(asked, 'echo') !== true) return whole;
  const prompts = promptsOf(asked);
  const lengths = prompts.flatMap((one) => (one !== null && whole.startsWith(one) ? [one.length] : []));
  // Where one prompt is a prefix of another, the longer one may be the right one.
  return prompts.includes(null) ? null : whole.slice(Math.max(0, ...lengths));
}

function joined({ index, parts }: StreamedChoice): TextChoice {
  const pieces = parts.map(({ piece }) => textAt(piece, 'text')).filter((piece) => piece !== undefined);
  return {
    index,
    at: parts.at(-1)?.at ?? '',
    text: pieces.length === 0 ? undefined : pieces.join(''),
    finish: finishOf(parts),
    logprobs: parts.flatMap(({ at, piece }) => logprobsOf(piece, at)),
  };
}

function choiceOf(choice: Json, i: number): TextChoice {
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
  return holdsNumber(value) ? [{ at: `${at}/logprobs`, value }] : [];
}

/** Whether a value contains log probabilities: their form is not shown, but they always contain a number. */
function holdsNumber(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'number';
  return Object.values(value).some(holdsNumber);
}
