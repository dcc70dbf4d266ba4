import type { Json } from '../../exchange/http/body.ts';
import { arrayAt, numberAt, valueAtPath } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { eventsWhere, inEvent, inResponse } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { hasChoices } from './selectors/chunks.ts';
import { repliesTo } from './selectors/replies.ts';

const { stated, implied } = section('2 Chat completions');
const CHAT = 'createChatCompletion';

export const chatReplyLogprobsWhenAsked = stated('chat.reply.logprobs-when-asked', {
  says: 'A reply of text carries log probabilities if logprobs is true.',
  selector: repliesTo(wantsLogprobs),
  check: ({ choices, streamed }) =>
    choices
      .filter(
        ({ content, tokens }) =>
          content !== null && content !== undefined && content !== '' && tokens === null,
      )
      .map(({ at }) => ({
        at: `${at}/logprobs`,
        expected: streamed ? 'log probabilities in some chunk' : 'log probabilities',
        actual: null,
      })),
  mutations: {
    'left out': inResponse(CHAT, setValue('/choices/*/logprobs', null)),
    'left out of a stream': inEvent(CHAT, eventsWhere(hasChoices), setValue('/choices/*/logprobs', null)),
  },
});

export const chatReplyLogprobsOnlyWhenAsked = implied('chat.reply.logprobs-only-when-asked', {
  says: 'A reply carries no log probabilities unless logprobs is true.',
  selector: repliesTo((asked) => !wantsLogprobs(asked)),
  check: ({ choices }) =>
    choices
      .filter(({ tokens }) => tokens !== null)
      .map(({ at, tokens }) => ({
        at: `${at}/logprobs`,
        expected: 'null',
        actual: `${tokens?.length ?? 0} entries`,
      })),
  mutations: {
    'not requested': inResponse(CHAT, setValue('/choices/*/logprobs', { content: [entry()] })),
    'not requested, in a stream': inEvent(
      CHAT,
      eventsWhere(hasChoices),
      setValue('/choices/*/logprobs', { content: [entry()] }),
    ),
  },
});

export const chatReplyCandidatesAsAsked = implied('chat.reply.candidates-as-asked', {
  says: 'A token lists at most top_logprobs candidates.',
  selector: where(
    repliesTo((asked) => numberAt(asked, 'top_logprobs') !== undefined),
    ({ choices }) => choices.some(({ tokens }) => tokens !== null && tokens.length > 0),
  ),
  check: ({ choices, asked }) => {
    const most = numberAt(asked, 'top_logprobs') ?? 0;
    return choices
      .flatMap(({ tokens }) => tokens ?? [])
      .filter(({ entry: token }) => arrayAt(token, 'top_logprobs').length > most)
      .map(({ at, entry: token }) => ({
        at: `${at}/top_logprobs`,
        expected: `at most ${most} candidates`,
        actual: `${arrayAt(token, 'top_logprobs').length} candidates`,
      }));
  },
  mutations: {
    'one too many': inResponse(CHAT, setValue('/choices/*/logprobs/content/0/top_logprobs', surplus)),
    'one too many in a stream': inEvent(
      CHAT,
      eventsWhere(hasChoices),
      setValue('/choices/*/logprobs/content/0/top_logprobs', surplus),
    ),
  },
});

function wantsLogprobs(asked: Json | undefined): boolean {
  return valueAtPath(asked, 'logprobs') === true;
}

function entry(): Json {
  return { token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] };
}

function surplus(candidates: Json | undefined): Json {
  return [...arrayAt(candidates), ...Array<Json>(21).fill({ token: 'a', logprob: -0.1, bytes: [97] })];
}
