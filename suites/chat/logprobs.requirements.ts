import { setIn, setInEvent } from '../vocabulary/changes.ts';
import { arrayAt, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { asks, asksNumber, that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Json, Mutation } from '../vocabulary/types.ts';
import { everyPiece } from './selectors/picks.ts';
import { type ChatReply, chatReplies, repliesTo } from './selectors/replies.ts';

const { stated, implied } = section('2 Chat completions');
const CHAT = 'createChatCompletion';

export const chatReplyLogprobsWhenAsked = stated('chat.reply.logprobs-when-asked', {
  says: 'A reply of text carries log probabilities if logprobs is true.',
  selector: where(chatReplies, asks('logprobs', true)),
  check: ({ choices, streamed }) =>
    choices
      .filter(
        ({ content, tokens }) =>
          content !== null && content !== undefined && content !== '' && tokens === null,
      )
      .map(({ at }) =>
        violation(`${at}/logprobs`, streamed ? 'log probabilities in some chunk' : 'log probabilities', null),
      ),
  mutations: {
    'left out': setIn(CHAT, '/choices/*/logprobs', null),
    'left out of a stream': setInEvent(CHAT, everyPiece, '/choices/*/logprobs', null),
  },
});

const wantingNone = that<Json | undefined>(
  'whose request has no logprobs, or false',
  (asked) => (valueAtPath(asked, 'logprobs') ?? false) === false,
);

export const chatReplyLogprobsOnlyWhenAsked = implied('chat.reply.logprobs-only-when-asked', {
  says: 'A reply carries no log probabilities unless logprobs is true.',
  // An invalid value asks for neither.
  selector: repliesTo(wantingNone),
  check: ({ choices }) =>
    choices
      .filter(({ tokens }) => tokens !== null)
      .map(({ at, tokens }) => violation(`${at}/logprobs`, 'null', `${tokens?.length ?? 0} entries`)),
  mutations: {
    'not requested': setIn(CHAT, '/choices/*/logprobs', { content: [entry()] }),
    'not requested, in a stream': setInEvent(CHAT, everyPiece, '/choices/*/logprobs', { content: [entry()] }),
  },
});

/** How the sentence of the next requirement can be untrue. */
const chatReplyCandidatesAsAskedMutations: Readonly<Record<string, Mutation>> = {
  'one too many': setIn(CHAT, '/choices/*/logprobs/content/0/top_logprobs', surplus),
  'one too many in a stream': setInEvent(
    CHAT,
    everyPiece,
    '/choices/*/logprobs/content/0/top_logprobs',
    surplus,
  ),
};

const withTokens = that<ChatReply>('with log probabilities of a token', ({ choices }) =>
  choices.some(({ tokens }) => tokens !== null && tokens.length > 0),
);

export const chatReplyCandidatesAsAsked = implied('chat.reply.candidates-as-asked', {
  says: 'A token lists at most top_logprobs candidates.',
  selector: where(chatReplies, asksNumber('top_logprobs'), withTokens),
  check: ({ choices, asked }) => {
    const most = numberAt(asked, 'top_logprobs') ?? 0;
    return choices
      .flatMap(({ tokens }) => tokens ?? [])
      .filter(({ entry: token }) => arrayAt(token, 'top_logprobs').length > most)
      .map(({ at, entry: token }) =>
        violation(
          `${at}/top_logprobs`,
          `at most ${most} candidates`,
          `${arrayAt(token, 'top_logprobs').length} candidates`,
        ),
      );
  },
  mutations: chatReplyCandidatesAsAskedMutations,
});

function entry(): Json {
  return { token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] };
}

function surplus(candidates: Json | undefined): Json {
  return [...arrayAt(candidates), ...Array<Json>(21).fill({ token: 'a', logprob: -0.1, bytes: [97] })];
}
