import { textAt } from '../../judge/evidence/json.ts';
import { inResponse, withStatusOf } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { section } from '../../judge/requirements/define.ts';
import { inTurn } from '../generate/in-turn.ts';
import { cancellationRequirements, notRefused } from '../generate/relations/cancellations.ts';

const { implied } = section('2 States and transitions');

/**
 * A rejected cancellation counts as a violation only where the batch was seen in progress afterwards:
 * otherwise it may have come too late.
 */
export const batchesCancelAccepted = implied('batches.cancel.accepted', {
  says: 'A batch that has not ended can be cancelled.',
  selector: cancellationRequirements({
    cancel: 'cancelBatch',
    telling: ['createBatch', 'retrieveBatch'],
    running: ['validating', 'in_progress'],
    about: ({ path, responseJson: answer, operation }) =>
      operation.id === 'createBatch' ? textAt(answer, 'id') : path['batch_id'],
  }),
  check: notRefused,
  mutations: {
    'always refused': inTurn(
      withStatusOf('cancelBatch', 400),
      inResponse('retrieveBatch', setValue('/status', 'in_progress')),
    ),
    'never found': inTurn(
      withStatusOf('cancelBatch', 404),
      inResponse('retrieveBatch', setValue('/status', 'in_progress')),
    ),
  },
});
