import { tryParseJson } from '../../schemas/json.ts';
import { rowOf } from '../rows/rows.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json } from '../vocabulary/types.ts';
import { forcedTokenWords } from './completions.ts';
import { isJsonPrefix } from './json-prefix.ts';
import {
  allChatReplies,
  type ChatReply,
  chatReplies,
  isCompleteChoice,
  placeInMessage,
  type ReplyChoice,
} from './replies.ts';

export const chatReplyNothingAfterStop = rowOf('chat.reply.nothing-after-stop', {
  evidence: chatReplies,
  check: (reply) => {
    const stops = reply.stops();
    return stops.flatMap((stop) =>
      reply.choices
        .filter(({ content }) => typeof content === 'string' && continuesAfter(content, stop, stops))
        .map(({ at, content }) =>
          violation(placeInMessage(reply, at, 'content'), `an end at ${JSON.stringify(stop)}`, content),
        ),
    );
  },
});

/**
 * False if the content ends with the first `stop`, or with a stop sequence that overlaps it: both may have been
 * complete with the same token.
 */
function continuesAfter(content: string, stop: string, stops: readonly string[]): boolean {
  const index = content.indexOf(stop);
  const end = index + stop.length;
  return index !== -1 && !stops.some((last) => content.endsWith(last) && content.length - last.length < end);
}

/** Ignores texts that were cut off but could have become JSON. */
export const chatReplyJsonModeIsJson = rowOf('chat.reply.json-mode-is-json', {
  evidence: allChatReplies,
  where: [
    that(
      'that ended a choice of text with finish_reason "stop" or "tool_calls" below max_tokens, or was cut off in a text that cannot become JSON',
      (reply) =>
        reply.choices.some((choice) => isWholeText(choice, reply) || isCutOffWithoutJson(choice, reply)),
    ),
  ],
  check: (reply) =>
    reply.choices
      .filter(
        (choice) =>
          (isWholeText(choice, reply) && tryParseJson(choice.content ?? '') === undefined) ||
          isCutOffWithoutJson(choice, reply),
      )
      .map(({ at, content }) => violation(placeInMessage(reply, at, 'content'), 'valid JSON', content)),
});

/** False for an empty text next to calls, which many services send instead of null. */
function isWholeText(choice: ReplyChoice, reply: ChatReply): boolean {
  const isPlaceholder = choice.content === '' && choice.calls.length > 0;
  return isCompleteChoice(choice) && typeof choice.content === 'string' && !isPlaceholder && !reply.cut();
}

function isCutOffWithoutJson(choice: ReplyChoice, reply: ChatReply): boolean {
  const isCutOff = choice.finish === 'length' || (isCompleteChoice(choice) && reply.cut());
  return isCutOff && typeof choice.content === 'string' && !isJsonPrefix(choice.content);
}

/** An unspecified field of a message, such as `refusal`, may contain the text instead. */
export const chatReplyTextOrCalls = rowOf('chat.reply.text-or-calls', {
  evidence: chatReplies,
  check: ({ call, choices }) =>
    choices
      .filter(
        (choice) =>
          isCompleteChoice(choice) && typeof choice.content !== 'string' && choice.calls.length === 0,
      )
      .filter(({ at }) => !hasOtherText(at, call.responseJson))
      .map(({ at, content }) => violation(`${at}/message/content`, 'text, or calls of functions', content)),
});

function hasOtherText(at: string, answer: Json | undefined): boolean {
  const message = valueAtPath(answer, 'choices', Number(at.split('/').at(-1)), 'message');
  return Object.entries(isObject(message) ? message : {}).some(
    ([name, value]) => !['role', 'content', 'tool_calls'].includes(name) && containsText(value),
  );
}

/** False for an empty list such as `annotations: []`, which many services send with every message. */
function containsText(value: Json): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'object' && value !== null && Object.values(value).some(containsText);
}

/** The maximum sum of probabilities: above 1, because services round the numbers. */
const MAX_PROBABILITY = 1.1;

export const chatLogprobsOfProbabilities = rowOf('chat.logprobs.of-probabilities', {
  evidence: chatReplies,
  check: ({ choices }) =>
    choices.flatMap(({ tokens }) =>
      (tokens ?? []).flatMap(({ at, entry }) => {
        // A service may list the token again among its candidates.
        const candidates = new Map(
          arrayAt(entry, 'top_logprobs').map((one) => [textAt(one, 'token'), probabilityOf(one)] as const),
        );
        const sum = Math.max(
          probabilityOf(entry),
          [...candidates.values()].reduce((total, one) => total + one, 0),
        );
        return sum <= MAX_PROBABILITY ? [] : [violation(at, 'probabilities that sum to at most 1', sum)];
      }),
    ),
});

function probabilityOf(entry: Json): number {
  return Math.exp(numberAt(entry, 'logprob') ?? Number.NEGATIVE_INFINITY);
}

/**
 * The text of the forced token is unknown, but all tokens must have the same. White space before the first token may be
 * omitted.
 */
export const chatReplyForcedTokenRepeats = rowOf('chat.reply.forced-token-repeats', {
  evidence: chatReplies,
  check: ({ asked, choices }) =>
    choices.flatMap(({ tokens }) => {
      const first = textAt(tokens?.[0]?.entry, 'token')?.trim();
      const other = tokens?.find(({ entry }) => textAt(entry, 'token')?.trim() !== first);
      if (other === undefined) return [];
      const expected = `${JSON.stringify(first)}, as before: ${forcedTokenWords(asked)}`;
      return [violation(`${other.at}/token`, expected, textAt(other.entry, 'token'))];
    }),
});
