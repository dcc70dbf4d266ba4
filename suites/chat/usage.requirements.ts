import { rowOf } from '../rows/rows.ts';
import { numberAt } from '../vocabulary/json.ts';
import { violation } from '../vocabulary/statements.ts';
import { allChatReplies, type ChatReply, chatReplies, uncountedChoices } from './replies.ts';

export const chatStreamUsageCoversAll = rowOf('chat.stream.usage-covers-all', {
  evidence: chatReplies,
  check: (reply) => {
    const actual = numberAt(reply.usage, 'completion_tokens') ?? 0;
    const least = tokensShown(reply);
    return actual >= least ? [] : [violation('/usage/completion_tokens', `${least} or more`, actual)];
  },
});

export const chatUsageCountsEveryChoice = rowOf('chat.usage.counts-every-choice', {
  evidence: allChatReplies,
  check: ({ asked, choices, usage }) => uncountedChoices(asked, usage, choices),
});

/** A lower bound of tokens: one for a text, or the number of entries of the log probabilities. */
function tokensShown({ choices }: ChatReply): number {
  return choices
    .map(({ tokens, content }) => tokens?.length ?? ((content ?? '') === '' ? 0 : 1))
    .reduce((sum, one) => sum + one, 0);
}
