import { followUpsBy } from '../runs/follow-ups.ts';
import { repeatedSteps, STEP_LOOK_UPS, stepResponses } from './steps.ts';

export const evidence = {
  steps: stepResponses,
  'step again': repeatedSteps,
  'steps after a run': followUpsBy(...STEP_LOOK_UPS),
  'list of steps after a run': followUpsBy('listRunSteps'),
};
