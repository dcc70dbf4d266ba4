import { promptCounts } from './prompts.ts';
import { allTextCompletions, textCompletions } from './texts.ts';

/** Selectors, by the names that rows of requirements and choices give as `evidence`. */
export const evidence = {
  'any completion': allTextCompletions,
  completion: textCompletions,
  'prompts together': promptCounts,
};
