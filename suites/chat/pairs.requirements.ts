import { eventsWhere, setIn, setInEvent } from '../vocabulary/changes.ts';
import { textAt } from '../vocabulary/json.ts';
import type { Json } from '../vocabulary/types.ts';
import { usageChunk } from './chunks.ts';
import { CHAT_KIND, sameChoices, samePromptTokens, sameText } from './completions.ts';

const CHAT = CHAT_KIND.operation;
const spec = '2 Chat completions';

export const chatPairSameChoices = sameChoices(CHAT_KIND, {
  spec,
  says: 'A streamed reply has the choices that the same reply has in one piece.',
});

export const chatPairSamePromptTokens = samePromptTokens(CHAT_KIND, {
  spec: '2 Chat completion chunk',
  says: 'The usage of a stream counts the prompt as the same request without streaming does.',
  mutations: {
    'one more': setInEvent(CHAT, usageChunk, '/usage/prompt_tokens', (old) => Number(old) + 1),
    none: setInEvent(CHAT, usageChunk, '/usage/prompt_tokens', 0),
    'one more without streaming': setIn(CHAT, '/usage/prompt_tokens', (old) => Number(old) + 1),
  },
});

const CONTENT = { whole: ['message', 'content'], piece: ['delta', 'content'] };

export const chatPairSameText = sameText(CHAT_KIND, CONTENT, {
  spec,
  says: 'The joined deltas of a stream are the message of a reply to the same request in one piece.',
  mutations: {
    'a delta is lost': setInEvent(CHAT, eventsWhere(hasContent), '/choices/*/delta/content', ''),
    'another message': setIn(CHAT, '/choices/*/message/content', 'something else'),
  },
});

function hasContent(data: Json): boolean {
  return textAt(data, 'choices', 0, 'delta', 'content') !== undefined;
}
