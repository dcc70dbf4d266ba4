import { allChatReplies, chatReplies } from './replies.ts';
import { streamedCalls } from './streamed-calls.ts';

/** Evidence for rows: complete replies, streamed or not. */
export const evidence = { 'any reply': allChatReplies, reply: chatReplies, 'streamed calls': streamedCalls };
