import { acceptance } from '../generate/acceptance.ts';
import { arrayAt, isObject, valueAtPath } from '../vocabulary/json.ts';

const CHAT = 'createChatCompletion';

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
