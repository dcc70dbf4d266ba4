import { allChatReplies, chatReplies } from './replies.ts';
import { streamedCalls } from './streamed-calls.ts';

/** The evidence of rows: replies as a whole, streamed or not. */
export const evidence = { 'any reply': allChatReplies, reply: chatReplies, 'streamed calls': streamedCalls };
