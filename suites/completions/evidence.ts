import { promptCounts } from './prompts.ts';
import { allTextCompletions, textCompletions } from './texts.ts';

export const evidence = {
  'any completion': allTextCompletions,
  completion: textCompletions,
  'prompts together': promptCounts,
};
