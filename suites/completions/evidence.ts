import { promptCounts } from './prompts.ts';
import { allTextCompletions, textCompletions } from './texts.ts';

/** Evidence for rows: complete completions, streamed or not, and the counts of prompts. */
export const evidence = {
  'any completion': allTextCompletions,
  completion: textCompletions,
  'prompts together': promptCounts,
};
