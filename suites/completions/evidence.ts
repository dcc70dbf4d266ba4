import { allTextCompletions, textCompletions } from './texts.ts';

/** The evidence of rows: completions as a whole, streamed or not. */
export const evidence = { 'any completion': allTextCompletions, completion: textCompletions };
