import { mediaTypeOf } from '../../exchange/http/content.ts';
import { type PairedReply, pairRequirements, textsOrNull } from '../chat/streamed-pairs.ts';
import { refusedStreamRequirement } from '../generate/refused-streams.ts';
import { rowOf } from '../rows/rows.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, RequestEvidence } from '../vocabulary/types.ts';
import { TEXT_CHOICES, type TextChoice } from './texts.ts';

export const [
  completionsPairSameChoices,
  completionsPairSamePromptTokens,
  completionsPairSameText,
  completionsPairSameFinishReason,
  completionsPairSameCompletionTokens,
] = pairRequirements('completions', TEXT_CHOICES, {
  at: '/choices/*/text',
  texts: textsOf,
  groupBy: textsOf,
});

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
