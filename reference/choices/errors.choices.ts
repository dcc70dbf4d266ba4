import { type ChoiceTable, inPlace } from '../deviations/alternatives.ts';

/** Under other choices, cancelling something that has ended returns it unchanged, so no refusal shows its status. */
const seenInRefusals = { unseen: 'a service may refuse no cancellation' } as const;

export const choices: ChoiceTable = {
  'errors.body.form': {
    usual: 'an object with error',
    others: { 'other JSON': inPlace, text: inPlace, nothing: inPlace },
  },
  'errors.status.of-unknown-id': { usual: '404', others: { '400': inPlace } },
  'errors.status.of-violation': { usual: '400', others: { '422': inPlace, '404': inPlace, '409': inPlace } },
  'errors.status.of-refused-cancellation': {
    usual: '409',
    others: { '404': seenInRefusals, '400': seenInRefusals },
  },
};
