import { acceptance } from '../generate/probes/acceptance.ts';
import { arrayAt, isObject, valueAtPath } from '../vocabulary/json.ts';

const CHAT = 'createChatCompletion';

export const nullContent = acceptance({
  id: 'chat.message.null-content',
  spec: '2 Chat completion',
  says: 'Whether a message of an assistant that only called functions may have null as its content.',
  operations: [CHAT],
  concerns: (asked) => arrayAt(asked, 'messages').some((message) => valueAtPath(message, 'content') === null),
});

/** Fields whose default is null, although their type does not list null. */
const NULL_BY_DEFAULT = ['logit_bias', 'response_format', 'tools'];

export const nullByDefault = acceptance({
  id: 'chat.request.null-by-default',
  spec: '2 Chat completions',
  says: 'Whether null may be sent where it is the default, but not listed as a type.',
  operations: [CHAT, 'createCompletion'],
  concerns: (asked) => isObject(asked) && NULL_BY_DEFAULT.some((field) => valueAtPath(asked, field) === null),
});
