import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import type { Json, JsonEvent, Selector } from '../vocabulary/types.ts';
import { callsOf, callTexts } from './call-pieces.ts';
import type { StreamedText } from './characters.ts';
import {
  type ChoiceReader,
  type CompletionBounds,
  finishOf,
  groupByChoice,
  requestedChoiceCount,
  type StreamedChoice,
  type WholeCompletion,
  wholeCompletions,
} from './completions.ts';

export interface ReplyChoice {
  readonly index: number | undefined;
  /** The place for findings: a JSON pointer; for a stream, the event of the last part of the choice, and a pointer. */
  readonly at: string;
  /** Undefined if the field is missing, or is neither text nor null. For a stream, null if no part has text. */
  readonly content: string | null | undefined;
  /** Function calls in the form of a non-streamed reply; for a stream, joined as clients join them. */
  readonly calls: readonly Json[];
  readonly finish: string | null | undefined;
  /** Entries of the log probabilities, joined over a stream; null if the choice has none. */
  readonly tokens: readonly { readonly at: string; readonly entry: Json }[] | null;
}

export type ChatReply = WholeCompletion<ReplyChoice> & CompletionBounds;

/** With an unspecified finish_reason, the choice may have been cut off. */
export function isCompleteChoice({ finish }: Pick<ReplyChoice, 'finish'>): boolean {
  return finish === 'stop' || finish === 'tool_calls';
}

export const REPLY_CHOICES: ChoiceReader<ReplyChoice> = { readChoice, joinParts };

export const allChatReplies: Selector<ChatReply> = wholeCompletions(
  'createChatCompletion',
  REPLY_CHOICES,
  (asked, choices): CompletionBounds => ({
    due: () => requestedChoiceCount(asked),
    most_tokens: () => {
      const each = numberAt(asked, 'max_tokens');
      return each === undefined ? undefined : each * (numberAt(asked, 'n') ?? 1);
    },
    // Log probabilities show how many tokens a text has; any other text has at least one.
    least_tokens: () =>
      choices.reduce((sum, { tokens, content }) => sum + (tokens?.length ?? (content ? 1 : 0)), 0),
  }),
);

export const chatReplies: Selector<ChatReply> = where(
  allChatReplies,
  that('with a choice', ({ choices }) => choices.length > 0),
);

/** The place of a field of the message of a choice; for a stream, of its delta. */
export function placeInMessage({ streamed }: ChatReply, at: string, field: 'content' | 'tool_calls'): string {
  return `${at}/${streamed ? 'delta' : 'message'}/${field}`;
}

function joinParts({ index, parts }: StreamedChoice): ReplyChoice {
  const texts = parts.flatMap(({ piece }) => textAt(piece, 'delta', 'content') ?? []);
  const entries = parts.flatMap(({ at, piece }) => tokensOf(piece, at) ?? []);
  return {
    index,
    at: parts.at(-1)?.at ?? '',
    content: texts.length === 0 ? null : texts.join(''),
    calls: callsOf(parts).map((call) => ({
      id: callTexts(call, 'id')[0] ?? '',
      type: 'function',
      function: {
        name: callTexts(call, 'function', 'name')[0] ?? '',
        arguments: callTexts(call, 'function', 'arguments').join(''),
      },
    })),
    finish: finishOf(parts),
    tokens: entries.length === 0 ? null : entries,
  };
}

function readChoice(choice: Json, i: number): ReplyChoice {
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
  const content = arrayAt(choice, 'logprobs', 'content');
  // An empty list carries no more information than a missing one.
  if (content.length === 0) return null;
  return content.map((entry, i) => ({ at: `${at}/logprobs/content/${i}`, entry }));
}

export function textsOfChoices(chunks: readonly JsonEvent[]): readonly (readonly StreamedText[])[] {
  return groupByChoice(chunks).map(({ parts }) =>
    parts.flatMap(({ at, piece }) => {
      const text = textAt(piece, 'delta', 'content') ?? '';
      return text === '' ? [] : [{ at: `${at}/delta/content`, text }];
    }),
  );
}
