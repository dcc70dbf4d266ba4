import { repeatedSteps, stepResponses } from './steps.ts';

/** The evidence of rows: responses with steps, and steps that a later response shows again. */
export const evidence = { steps: stepResponses, 'step again': repeatedSteps };
