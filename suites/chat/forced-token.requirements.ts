import { inResponseWhere, setValue } from '../vocabulary/changes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange, Json } from '../vocabulary/types.ts';
import { type ChatReply, repliesTo } from './replies.ts';

const { stated } = section('2 Chat completions');
const CHAT = 'createChatCompletion';
const TOKENS = '/choices/0/logprobs/content';

/** Whether a request forces one token, and gives no other a bias. */
export function forcesToken(asked: Json | undefined): boolean {
  const bias = valueAtPath(asked, 'logit_bias');
  const values = isObject(bias) ? Object.values(bias) : [];
  return values.length === 1 && values[0] === 100;
}

const withTwoTokens = that<ChatReply>('with log probabilities of two tokens', ({ choices }) =>
  choices.some(({ tokens }) => tokens !== null && tokens.length > 1),
);

/** Which token has the number of the request is not known; that it is one and the same is seen all the same. */
export const chatReplyForcedTokenRepeats = stated('chat.reply.forced-token-repeats', {
  says: 'A token with a bias of 100 is the only one of a reply.',
  selector: where(
    repliesTo(that('whose request forces one token by logit_bias', forcesToken)),
    withTwoTokens,
  ),
  check: ({ choices }) =>
    choices.flatMap(({ tokens }) => {
      // White space in front of the first token may be left out.
      const first = textAt(tokens?.[0]?.entry, 'token')?.trim();
      const other = tokens?.find(({ entry }) => textAt(entry, 'token')?.trim() !== first);
      if (other === undefined) return [];
      const expected = `${JSON.stringify(first)}, as before`;
      return [violation(`${other.at}/token`, expected, textAt(other.entry, 'token'))];
    }),
  mutations: {
    'another one at the end': inForced((tokens) => [
      ...tokens.slice(0, -1),
      ...tokens.slice(-1).map(setValue('/token', '.')),
    ]),
    'two in turn': inForced((tokens) =>
      tokens.map((token, i) => (i % 2 === 0 ? token : setValue('/token', ' and')(token))),
    ),
  },
});

function inForced(edit: (tokens: readonly Json[]) => Json) {
  const fits = ({ request }: Exchange) => forcesToken(request.body.json?.value);
  return inResponseWhere(
    CHAT,
    fits,
    setValue(TOKENS, (tokens) => edit(arrayAt(tokens))),
  );
}
