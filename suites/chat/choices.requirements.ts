import { choiceOf } from '../rows/rows.ts';
import { bodyDigest, LruMap } from '../vocabulary/collecting.ts';
import { isObject, textAt } from '../vocabulary/json.ts';
import type { Evidence, Exchange, Selector } from '../vocabulary/types.ts';
import { chatReplies } from './replies.ts';

interface SeenReply {
  readonly stops: readonly string[];
  readonly text: string;
  readonly hasEnded: boolean;
  readonly exchange: Exchange;
}

/** A reply that a stop sequence ended, as a longer reply to the same question shows. */
interface StoppedReply extends Evidence {
  readonly alternative: 'kept' | 'not in the content';
}

const MAX_REPLIES = 16;

/** A reply without its stop sequence proves nothing by itself: a service that ignores `stop` may give it, too. */
const stoppedReplies: Selector<StoppedReply> = {
  operations: ['createChatCompletion'],
  variant: null,
  needs:
    'a whole reply that a stop sequence ended, and a longer one to the same request with other stop sequences or none',
  collect: () => {
    const groups = new LruMap<Map<string, SeenReply>>();
    const replies = chatReplies.collect();
    return {
      call: (call) => {
        for (const { asked, stops, choices } of replies.call(call)) {
          const text = choices[0]?.content;
          if (!isObject(asked) || typeof text !== 'string') continue;
          const { stop: _, stream: __, stream_options: ___, ...common } = asked;
          const group = groups.at(bodyDigest(common), () => new Map());
          const hasEnded = choices[0]?.finish === 'stop';
          const key = JSON.stringify([stops(), text, hasEnded]);
          if (group.size < MAX_REPLIES && !group.has(key))
            group.set(key, { stops: stops(), text, hasEnded, exchange: call.exchange });
        }
        return [];
      },
      finish: () => [...groups.values()].flatMap((group) => findStopped([...group.values()])),
    };
  },
};

function findStopped(replies: readonly SeenReply[]): readonly StoppedReply[] {
  return replies
    .filter(({ hasEnded }) => hasEnded)
    .flatMap((reply) => {
      const proofs = replies.flatMap((longer) => {
        const alternative = alternativeShown(reply, longer);
        return alternative === null ? [] : [{ alternative, exchanges: [reply.exchange, longer.exchange] }];
      });
      return proofs.slice(0, 1);
    });
}

function alternativeShown({ stops, text }: SeenReply, longer: SeenReply): StoppedReply['alternative'] | null {
  const containsStop = stops.some((stop) => text.includes(stop));
  for (const stop of stops) {
    const at = longer.stops.includes(stop) ? -1 : longer.text.indexOf(stop);
    if (at === -1) continue;
    if (!containsStop && longer.text.slice(0, at).trim() === text.trim()) return 'not in the content';
    if (longer.text.length > text.length && longer.text.slice(0, at + stop.length) === text) return 'kept';
  }
  return null;
}

export const chatStopKept = choiceOf('chat.stop.kept', {
  selector: stoppedReplies,
  taken: ({ alternative }) => alternative,
});

export const chatLogprobsTokensJoined = choiceOf('chat.logprobs.tokens-joined', {
  selector: chatReplies,
  taken: ({ choices }) => {
    const choice = choices.find(({ tokens, content }) => tokens !== null && typeof content === 'string');
    if (choice === undefined) return null;
    const text = choice.tokens?.map(({ entry }) => textAt(entry, 'token')).join('');
    return text === choice.content ? 'the content' : 'another text';
  },
});
