import type { Json } from '../../exchange/body.ts';
import { inAnswer, inEvent, where } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, number } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { hasChoices } from './chunks.ts';
import { repliesTo } from './replies.ts';

const CHAT = 'createChatCompletion';

export const logprobsWhenAsked = requirement({
  id: 'chat.reply.logprobs-when-asked',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Chat completions',
  says: 'A reply of text carries log probabilities if logprobs is true.',
  on: repliesTo(wantsLogprobs),
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
  breaks: {
    'left out': inAnswer(CHAT, put('/choices/*/logprobs', null)),
    'left out of a stream': inEvent(CHAT, where(hasChoices), put('/choices/*/logprobs', null)),
  },
});

export const logprobsOnlyWhenAsked = requirement({
  id: 'chat.reply.logprobs-only-when-asked',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completions',
  says: 'A reply carries no log probabilities unless logprobs is true.',
  on: repliesTo((asked) => !wantsLogprobs(asked)),
  check: ({ choices }) =>
    choices
      .filter(({ tokens }) => tokens !== null)
      .map(({ at, tokens }) => ({
        at: `${at}/logprobs`,
        expected: 'null',
        actual: `${tokens?.length ?? 0} entries`,
      })),
  breaks: {
    'unasked for': inAnswer(CHAT, put('/choices/*/logprobs', { content: [entry()] })),
    'unasked for in a stream': inEvent(
      CHAT,
      where(hasChoices),
      put('/choices/*/logprobs', { content: [entry()] }),
    ),
  },
});

export const candidatesAsAsked = requirement({
  id: 'chat.reply.candidates-as-asked',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Chat completions',
  says: 'A token lists at most top_logprobs candidates.',
  on: only(
    repliesTo((asked) => number(asked, 'top_logprobs') !== undefined),
    ({ choices }) => choices.some(({ tokens }) => tokens !== null && tokens.length > 0),
  ),
  check: ({ choices, asked }) => {
    const most = number(asked, 'top_logprobs') ?? 0;
    return choices
      .flatMap(({ tokens }) => tokens ?? [])
      .filter(({ entry: token }) => list(token, 'top_logprobs').length > most)
      .map(({ at, entry: token }) => ({
        at: `${at}/top_logprobs`,
        expected: `at most ${most} candidates`,
        actual: `${list(token, 'top_logprobs').length} candidates`,
      }));
  },
  breaks: {
    'one too many': inAnswer(CHAT, put('/choices/*/logprobs/content/0/top_logprobs', surplus)),
    'one too many in a stream': inEvent(
      CHAT,
      where(hasChoices),
      put('/choices/*/logprobs/content/0/top_logprobs', surplus),
    ),
  },
});

function wantsLogprobs(asked: Json | undefined): boolean {
  return get(asked, 'logprobs') === true;
}

function entry(): Json {
  return { token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] };
}

function surplus(candidates: Json | undefined): Json {
  return [...list(candidates), ...Array<Json>(21).fill({ token: 'a', logprob: -0.1, bytes: [97] })];
}
