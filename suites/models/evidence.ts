import { listedModels, listsAfterAnswers } from './listed.ts';

/** The evidence of rows: models that were listed before they were retrieved, and lists of a service that answers. */
export const evidence = { 'listed model': listedModels, 'list after an answer': listsAfterAnswers };
