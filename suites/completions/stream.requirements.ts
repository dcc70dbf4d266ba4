import { mediaTypeOf } from '../../exchange/http/content.ts';
import {
  completionTokens,
  finishReasons,
  otherChoices,
  otherPromptTokens,
  type PairedReply,
  sameBothWays,
  textsOrNull,
} from '../chat/completions.ts';
import { refusedStreamRequirement } from '../generate/streams.ts';
import { rowOf } from '../rows/rows.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, RequestEvidence, StreamedPair } from '../vocabulary/types.ts';
import { TEXT_CHOICES, type TextChoice } from './texts.ts';

export const completionsPairSameChoices = rowOf<StreamedPair>('completions.pair.same-choices', {
  check: otherChoices,
});

export const completionsPairSamePromptTokens = rowOf<StreamedPair>('completions.pair.same-prompt-tokens', {
  check: otherPromptTokens,
});

export const completionsPairSameText = rowOf<StreamedPair>(
  'completions.pair.same-text',
  sameBothWays(TEXT_CHOICES, { at: '/choices/*/text', shows: textsOf }),
);

export const completionsPairSameFinishReason = rowOf<StreamedPair>(
  'completions.pair.same-finish-reason',
  sameBothWays(TEXT_CHOICES, { at: '/choices/*/finish_reason', shows: finishReasons, among: textsOf }),
);

export const completionsPairSameCompletionTokens = rowOf<StreamedPair>(
  'completions.pair.same-completion-tokens',
  sameBothWays(TEXT_CHOICES, { at: '/usage/completion_tokens', shows: completionTokens, among: textsOf }),
);

function textsOf({ choices }: PairedReply<TextChoice>): Json {
  return textsOrNull(choices.map(({ text }) => text));
}

export const completionsBestOfNotStreamed = rowOf<RequestEvidence>('completions.best-of.not-streamed', {
  check: ({ call }) => {
    const type = mediaTypeOf(call.exchange.response?.headers ?? [])?.essence;
    return call.responseClass === 'accepted' && type === 'text/event-stream'
      ? [violation('header content-type', 'not a stream of events', type)]
      : [];
  },
});

export const completionsStreamRefusedByStatus = refusedStreamRequirement(
  'completions.stream.refused-by-status',
  ['createCompletion'],
);
