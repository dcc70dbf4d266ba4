import { rowOf } from '../rows/rows.ts';
import { setIn, setInEvent } from '../vocabulary/changes.ts';
import { arrayAt } from '../vocabulary/json.ts';
import type { Json } from '../vocabulary/types.ts';
import { everyPiece } from './chunks.ts';
import { chatReplies } from './replies.ts';

const CHAT = 'createChatCompletion';

export const chatReplyCandidatesAsAsked = rowOf('chat.reply.candidates-as-asked', {
  evidence: chatReplies,
  broken_by: {
    'one too many': setIn(CHAT, '/choices/*/logprobs/content/0/top_logprobs', surplus),
    'one too many in a stream': setInEvent(
      CHAT,
      everyPiece,
      '/choices/*/logprobs/content/0/top_logprobs',
      surplus,
    ),
  },
});

function surplus(candidates: Json | undefined): Json {
  return [...arrayAt(candidates), ...Array<Json>(21).fill({ token: 'a', logprob: -0.1, bytes: [97] })];
}
