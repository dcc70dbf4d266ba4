import { followUpsBy } from '../runs/follow-ups.ts';
import { repeatedSteps, STEP_LOOK_UPS, stepResponses } from './steps.ts';

/** Selectors, by the names that rows of requirements and choices give as `evidence`. */
export const evidence = {
  steps: stepResponses,
  'step again': repeatedSteps,
  'steps after a run': followUpsBy(...STEP_LOOK_UPS),
  'list of steps after a run': followUpsBy('listRunSteps'),
};
