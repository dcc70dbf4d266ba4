import { promptCounts } from './prompts.ts';
import { allTextCompletions, textCompletions } from './texts.ts';

/** The evidence of rows: completions as a whole, streamed or not, and the counts of prompts. */
export const evidence = {
  'any completion': allTextCompletions,
  completion: textCompletions,
  'prompts together': promptCounts,
};
