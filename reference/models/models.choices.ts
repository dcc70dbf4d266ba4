import { type ChoiceTable, reorderedWhole, reversed, shuffled } from '../deviations/alternatives.ts';

export const choices: ChoiceTable = {
  'models.list.order': {
    usual: 'oldest first',
    others: {
      'newest first': reorderedWhole(['listModels'], reversed),
      neither: reorderedWhole(['listModels'], shuffled),
    },
  },
};
