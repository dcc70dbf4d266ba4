import { listedModels, listsAfterAnswers } from './model-lists.ts';

export const evidence = { 'listed model': listedModels, 'list after an answer': listsAfterAnswers };
