import { allChatReplies, chatReplies } from './replies.ts';
import { streamedCalls } from './streamed-calls.ts';

/** Evidence that rows name: complete replies, streamed or not, and streams that call functions. */
export const evidence = { 'any reply': allChatReplies, reply: chatReplies, 'streamed calls': streamedCalls };
