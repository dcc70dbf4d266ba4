import { followUpsBy } from '../runs/runs.ts';
import { repeatedSteps, STEP_LOOK_UPS, stepResponses } from './steps.ts';

/** The evidence of rows: responses with steps, and steps that a later response shows again. */
export const evidence = {
  steps: stepResponses,
  'step again': repeatedSteps,
  'steps after a run': followUpsBy(...STEP_LOOK_UPS),
};
