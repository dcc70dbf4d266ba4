import { acceptance } from '../generate/acceptance.ts';
import { choiceOf } from '../rows/rows.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import { chatReplies } from './replies.ts';

const CHAT = 'createChatCompletion';

export const chatStopKept = choiceOf('chat.stop.kept', {
  selector: where(chatReplies, ({ stops }) => stops().length > 0),
  taken: ({ stops, choices: [first] }) => {
    if (first?.finish !== 'stop' || typeof first.content !== 'string') return null;
    return stops().some((stop) => first.content?.endsWith(stop)) ? 'kept' : 'not in the content';
  },
});

export const chatLogprobsTokensJoined = choiceOf('chat.logprobs.tokens-joined', {
  selector: chatReplies,
  taken: ({ choices }) => {
    const shown = choices.find(({ tokens, content }) => tokens !== null && typeof content === 'string');
    if (shown === undefined) return null;
    const joined = shown.tokens?.map(({ entry }) => textAt(entry, 'token')).join('');
    return joined === shown.content ? 'the content' : 'another text';
  },
});

export const nullContent = acceptance({
  id: 'chat.message.null-content',
  operations: [CHAT],
  concerns: (asked) => arrayAt(asked, 'messages').some((message) => valueAtPath(message, 'content') === null),
});

/** Fields whose default is null, although their type does not list null. */
const NULL_BY_DEFAULT = ['logit_bias', 'response_format', 'tools'];

export const nullByDefault = acceptance({
  id: 'chat.request.null-by-default',
  operations: [CHAT, 'createCompletion'],
  concerns: (asked) => isObject(asked) && NULL_BY_DEFAULT.some((field) => valueAtPath(asked, field) === null),
});

export const noTokens = acceptance({
  id: 'chat.request.no-tokens',
  operations: [CHAT, 'createCompletion'],
  concerns: (asked) => numberAt(asked, 'max_tokens') === 0,
});
