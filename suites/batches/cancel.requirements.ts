import { cancellationRequirements, notRefused } from '../generate/cancellations.ts';
import { inTurn } from '../generate/in-turn.ts';
import { setIn, withStatusOf } from '../vocabulary/changes.ts';
import { section } from '../vocabulary/statements.ts';
import { batchCancellationPlan } from './samples.ts';

const { stated } = section('2 States and transitions');

/**
 * A rejected cancellation counts as a violation only where the batch was seen in progress afterwards:
 * otherwise it may have come too late. A batch that is validated is not in progress yet: it has no `in_progress_at`.
 */
export const batchesCancelAccepted = stated('batches.cancel.accepted', {
  says: 'A batch in progress can be cancelled.',
  selector: cancellationRequirements(batchCancellationPlan),
  check: notRefused,
  mutations: {
    'always refused': inTurn(
      withStatusOf('cancelBatch', 400),
      setIn('retrieveBatch', '/status', 'in_progress'),
    ),
    'never found': inTurn(withStatusOf('cancelBatch', 404), setIn('retrieveBatch', '/status', 'in_progress')),
  },
});
