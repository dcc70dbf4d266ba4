import { cancellationRequirements, notRefused } from '../generate/cancellations.ts';
import { inTurn } from '../generate/in-turn.ts';
import { setIn, withStatusOf } from '../vocabulary/changes.ts';
import { section } from '../vocabulary/statements.ts';
import { jobCancellationPlan } from './cancellation-plan.ts';

const { stated } = section('2 States and transitions');

/**
 * A rejected cancellation counts as a violation only where the job was seen in progress afterwards:
 * otherwise it may have come too late.
 */
export const fineTuningCancelAccepted = stated('fine-tuning.cancel.accepted', {
  says: 'A job that has not ended can be cancelled.',
  selector: cancellationRequirements(jobCancellationPlan),
  check: notRefused,
  mutations: {
    'always refused': inTurn(
      withStatusOf('cancelFineTuningJob', 400),
      setIn('retrieveFineTuningJob', '/status', 'running'),
    ),
    'never found': inTurn(
      withStatusOf('cancelFineTuningJob', 404),
      setIn('retrieveFineTuningJob', '/status', 'running'),
    ),
  },
});
