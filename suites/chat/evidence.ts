import { allChatReplies, chatReplies } from './replies.ts';
import { streamedCalls } from './streamed-calls.ts';

export const evidence = { 'any reply': allChatReplies, reply: chatReplies, 'streamed calls': streamedCalls };
