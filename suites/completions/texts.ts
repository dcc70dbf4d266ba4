import { byChoice, streamedUsage } from '../chat/selectors/chunks.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, streamOf, where } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector, StreamEvidence } from '../vocabulary/types.ts';

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
export interface TextCompletion extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly streamed: boolean;
  readonly choices: readonly TextChoice[];
  readonly usage: Json | undefined;
}

/** Every complete response that has choices. */
export function textCompletions(): Selector<TextCompletion> {
  return where(allTextCompletions(), ({ choices }) => choices.length > 0);
}

/** Every complete response; of streams only those that ended without an interruption. */
export function allTextCompletions(): Selector<TextCompletion> {
  return stateless<TextCompletion>('texts', 'createCompletion', {}, (call) => {
    const stream = streamOf(call);
    const common = { exchanges: [call.exchange], call, asked: call.requestJson };
    if (stream?.ended === true) return [{ ...common, streamed: true, ...joined(stream) }];
    const { responseJson: answer } = call;
    if (stream !== null || answer === undefined) return [];
    const choices = arrayAt(answer, 'choices').map(choiceOf);
    return [{ ...common, streamed: false, choices, usage: valueAtPath(answer, 'usage') }];
  });
}

/** Completions of requests of one kind. */
export function textCompletionsFor(asks: (asked: Json | undefined) => boolean): Selector<TextCompletion> {
  return where(textCompletions(), ({ asked }) => asks(asked));
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

function joined({ chunks }: StreamEvidence): Pick<TextCompletion, 'choices' | 'usage'> {
  const choices = byChoice(chunks).map(({ index, parts }): TextChoice => {
    const pieces = parts.map(({ piece }) => textAt(piece, 'text')).filter((piece) => piece !== undefined);
    return {
      index,
      at: parts.at(-1)?.at ?? '',
      text: pieces.length === 0 ? undefined : pieces.join(''),
      finish: parts
        .map(({ piece }) => textAt(piece, 'finish_reason'))
        .findLast((finish) => finish !== undefined),
      logprobs: parts.flatMap(({ at, piece }) => logprobsOf(piece, at)),
    };
  });
  return { choices, usage: streamedUsage(chunks) };
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
