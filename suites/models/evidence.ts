import { listedModels, listsAfterAnswers } from './model-lists.ts';

/**
 * Evidence for rows: models that were listed before they were retrieved, and lists of a service whose model has
 * responded.
 */
export const evidence = { 'listed model': listedModels, 'list after an answer': listsAfterAnswers };
