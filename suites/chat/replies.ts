import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { ofRequest, that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Condition, Json, Selector, Violation } from '../vocabulary/types.ts';
import { byCall, callPieces, finishOf, type StreamedChoice, textsOf } from './chunks.ts';
import { type WholeCompletion, wholeCompletions } from './completions.ts';

/** One choice of a reply; of a stream, the joined parts of its chunks. */
export interface ReplyChoice {
  readonly index: number | undefined;
  /** Its place for findings: a JSON pointer, or the event that ends the choice. */
  readonly at: string;
  /** Undefined where the field is missing, which differs from null. */
  readonly content: string | null | undefined;
  /** Calls of functions; of a stream joined as clients do, in the form of a whole reply. */
  readonly calls: readonly Json[];
  readonly finish: string | null | undefined;
  /** Entries of the log probabilities, joined over a stream; null where the choice has none. */
  readonly tokens: readonly { readonly at: string; readonly entry: Json }[] | null;
}

/**
 * Whether the finish_reason shows a complete choice. Values other than those in the specification may also
 * mean that it was cut off.
 */
export function isCompleteChoice({ finish }: Pick<ReplyChoice, 'finish'>): boolean {
  return finish === 'stop' || finish === 'tool_calls';
}

/**
 * Whether a reply has used up max_tokens. The finish_reason for that is left open, so the usage counts as
 * well.
 */
export function mayBeCut({
  asked,
  usage,
  choices,
}: Pick<WholeCompletion<unknown>, 'asked' | 'usage' | 'choices'>): boolean {
  const most = numberAt(asked, 'max_tokens');
  if (most === undefined) return false;
  const used = numberAt(usage, 'completion_tokens');
  // The usage does not show the tokens of each of several choices.
  return used === undefined || used >= most || choices.length > 1;
}

/** The violation of a usage that counts fewer tokens than the choices have that ended at max_tokens. */
export function uncountedChoices(
  asked: Json | undefined,
  usage: Json | undefined,
  choices: readonly Pick<ReplyChoice, 'finish'>[],
): readonly Violation[] {
  const actual = numberAt(usage, 'completion_tokens') ?? 0;
  const full = choices.filter(({ finish }) => finish === 'length').length;
  const least = full * (numberAt(asked, 'max_tokens') ?? 0);
  return actual >= least ? [] : [violation('/usage/completion_tokens', `${least} or more`, actual)];
}

/** The stop sequences of a request. */
export function stopsOf(asked: Json | undefined): readonly string[] {
  const stop = valueAtPath(asked, 'stop');
  return (Array.isArray(stop) ? stop : [stop]).filter((one) => typeof one === 'string' && one !== '');
}

/** A chat reply, streamed or not. */
export type ChatReply = WholeCompletion<ReplyChoice>;

const withChoices = that<ChatReply>('with a choice', ({ choices }) => choices.length > 0);

/** Every complete reply; of streams only those that ended without an interruption. */
export const allChatReplies: Selector<ChatReply> = wholeCompletions('createChatCompletion', {
  whole: choiceOf,
  joined,
});

/** Every complete reply that has choices. */
export const chatReplies: Selector<ChatReply> = where(allChatReplies, withChoices);

export const inOnePiece = that<ChatReply>('in one piece', ({ streamed }) => !streamed);

export const inPieces = that<ChatReply>('as a stream', ({ streamed }) => streamed);

export const withCompleteChoice = that<ChatReply>(
  'that ended a choice with finish_reason "stop" or "tool_calls"',
  ({ choices }) => choices.some(isCompleteChoice),
);

export const withCalls = that<ChatReply>('with a call of a function', ({ choices }) =>
  choices.some(({ calls }) => calls.length > 0),
);

/** A stop sequence of the caller may cut off anything. */
export const unstopped = that<Pick<ChatReply, 'asked'>>(
  'whose request has no stop sequences',
  ({ asked }) => stopsOf(asked).length === 0,
);

export const uncut = that<ChatReply>('that max_tokens did not cut', (reply) => !mayBeCut(reply));

/** Replies to requests of one kind. */
export function repliesTo(asks: Condition<Json | undefined>): Selector<ChatReply> {
  return where(allChatReplies, ofRequest(asks), withChoices);
}

function joined({ index, parts }: StreamedChoice): ReplyChoice {
  const texts = parts
    .map(({ piece }) => textAt(piece, 'delta', 'content'))
    .filter((part) => part !== undefined);
  const entries = parts.flatMap(({ at, piece }) => tokensOf(piece, at) ?? []);
  return {
    index,
    at: parts.at(-1)?.at ?? '',
    content: texts.length === 0 ? null : texts.join(''),
    calls: byCall(callPieces(parts)).map((call) => ({
      id: textsOf(call, 'id')[0] ?? '',
      type: 'function',
      function: {
        name: textsOf(call, 'function', 'name')[0] ?? '',
        arguments: textsOf(call, 'function', 'arguments').join(''),
      },
    })),
    finish: finishOf(parts),
    tokens: entries.length === 0 ? null : entries,
  };
}

function choiceOf(choice: Json, i: number): ReplyChoice {
  const at = `/choices/${i}`;
  const content = valueAtPath(choice, 'message', 'content');
  const finish = valueAtPath(choice, 'finish_reason');
  return {
    index: numberAt(choice, 'index'),
    at,
    content: typeof content === 'string' || content === null ? content : undefined,
    calls: arrayAt(choice, 'message', 'tool_calls'),
    finish: typeof finish === 'string' || finish === null ? finish : undefined,
    tokens: tokensOf(choice, at),
  };
}

function tokensOf(choice: Json, at: string): { at: string; entry: Json }[] | null {
  const content = valueAtPath(choice, 'logprobs', 'content');
  // An empty list has no information, as a missing one.
  if (!Array.isArray(content) || content.length === 0) return null;
  return content.map((entry: Json, i) => ({ at: `${at}/logprobs/content/${i}`, entry }));
}
