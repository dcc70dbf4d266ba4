import { cancelTimings } from '../generate/cancellations.ts';
import { cancellations, fileBatchCancellationPlan, statusObservations } from './batches.ts';

export const evidence = {
  'cancelled file batch': cancellations,
  'timing of a cancelled file batch': cancelTimings(fileBatchCancellationPlan),
  'status of a file batch': statusObservations,
};
