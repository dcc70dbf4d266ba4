// The differences between chat completions and text completions, in words and places.

/** One of the two operations that complete a text, as the shared requirements name its parts. */
export interface CompletionKind {
  /** First part of the ids. */
  readonly area: 'chat' | 'completions';
  readonly operation: string;
  /** An answer in one piece, with its article: `a reply`. */
  readonly whole: string;
  /** One event of a stream: `chunk`. */
  readonly piece: string;
  /** A stream, with its article. */
  readonly stream: string;
  /** Value of `object` of a piece. */
  readonly object: string;
  /** Section of the streams, of their end, and of the object. */
  readonly spec: { readonly end: string; readonly object: string };
}

/** Replies of a chat; their streams have deltas (part 2, Chat completion chunk). */
export const CHAT_KIND: CompletionKind = {
  area: 'chat',
  operation: 'createChatCompletion',
  whole: 'a reply',
  piece: 'chunk',
  stream: 'a stream',
  object: 'chat.completion.chunk',
  spec: { end: '2 Events', object: '2 Chat completion' },
};

/** Continuations of prompts; their streams have pieces of text (part 2, Text completion). */
export const TEXT_KIND: CompletionKind = {
  area: 'completions',
  operation: 'createCompletion',
  whole: 'a completion',
  piece: 'piece',
  stream: 'a stream of completions',
  object: 'text_completion',
  spec: { end: '2 Text completions', object: '2 Text completion' },
};
