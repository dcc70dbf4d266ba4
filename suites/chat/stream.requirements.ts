import { refusedStreamRequirement } from '../generate/streams.ts';
import { rowOf } from '../rows/rows.ts';
import type { StreamedPair } from '../vocabulary/types.ts';
import { otherChoices, otherPromptTokens, otherTexts } from './completions.ts';

export const chatPairSameChoices = rowOf<StreamedPair>('chat.pair.same-choices', { check: otherChoices });

export const chatPairSamePromptTokens = rowOf<StreamedPair>('chat.pair.same-prompt-tokens', {
  check: otherPromptTokens,
});

export const chatPairSameText = rowOf<StreamedPair>('chat.pair.same-text', {
  check: otherTexts({ whole: ['message', 'content'], piece: ['delta', 'content'] }),
});

export const chatStreamRefusedByStatus = refusedStreamRequirement({
  id: 'chat.stream.refused-by-status',
  spec: '2 Chat completions',
  operations: ['createChatCompletion'],
});
