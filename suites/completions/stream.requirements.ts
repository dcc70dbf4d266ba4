import { mediaTypeOf } from '../../exchange/http/content.ts';
import { otherChoices, otherPromptTokens, otherTexts } from '../chat/completions.ts';
import { refusedStreamRequirement } from '../generate/streams.ts';
import { rowOf } from '../rows/rows.ts';
import { violation } from '../vocabulary/statements.ts';
import type { RequestEvidence, StreamedPair } from '../vocabulary/types.ts';

export const completionsPairSameChoices = rowOf<StreamedPair>('completions.pair.same-choices', {
  check: otherChoices,
});

export const completionsPairSamePromptTokens = rowOf<StreamedPair>('completions.pair.same-prompt-tokens', {
  check: otherPromptTokens,
});

export const completionsPairSameText = rowOf<StreamedPair>('completions.pair.same-text', {
  check: otherTexts({ whole: ['text'], piece: ['text'] }),
});

export const completionsBestOfNotStreamed = rowOf<RequestEvidence>('completions.best-of.not-streamed', {
  check: ({ call }) => {
    const type = mediaTypeOf(call.exchange.response?.headers ?? [])?.essence;
    return call.responseClass === 'accepted' && type === 'text/event-stream'
      ? [violation('header content-type', 'not a stream of events', type)]
      : [];
  },
});

export const completionsStreamRefusedByStatus = refusedStreamRequirement({
  id: 'completions.stream.refused-by-status',
  spec: '2 Text completions',
  operations: ['createCompletion'],
});
