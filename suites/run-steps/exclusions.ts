import type { FreeEvidence } from '../../judge/missing-evidence/expected-evidence.ts';
import type { InfeasibleRequirement } from '../../judge/requirements/catalogue.ts';
import type { Exclusion } from '../../judge/requirements/requirement.ts';

const SPEC = '1 Run step';

/** Sentences about steps that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'run-steps.expiry',
    spec: SPEC,
    says: 'A step counts as expired when its run has expired.',
    reason: 'When a run expires is up to the target, and no event or endpoint with a stated name shows it.',
  },
  {
    id: 'run-steps.calls.outputs',
    spec: SPEC,
    says: 'A function call shows the output that the caller gave.',
    reason: 'The endpoint that takes outputs is not shown.',
  },
];

/** Effects that no request can cause. */
export const infeasible: readonly InfeasibleRequirement[] = [
  {
    id: 'thread.run.step:#expired-at-set',
    reason: 'no run can be made to expire while somebody waits for it',
  },
  { id: 'thread.run.step:#failed-at-set', reason: 'no request makes a step fail' },
  { id: 'thread.run.step:#last-error-set', reason: 'no request makes a step fail' },
];

/** Requirements that a conforming target may give no evidence for. */
export const freeEvidence: readonly FreeEvidence[] = [
  {
    free: 'listRunSteps.page.after',
    decides: 'model',
    reason: 'how many steps a run takes is up to the model',
  },
  {
    free: 'listRunSteps.page.before',
    decides: 'model',
    reason: 'how many steps a run takes is up to the model',
  },
  {
    free: 'listRunSteps.page.closure',
    decides: 'model',
    reason: 'how many steps a run takes is up to the model',
  },
  {
    free: 'listRunSteps.page.default-order',
    decides: 'model',
    reason: 'how many steps a run takes is up to the model',
  },
  {
    free: 'listRunSteps.page.has-more',
    decides: 'model',
    reason: 'how many steps a run takes is up to the model',
  },
  {
    free: 'listRunSteps.page.limit',
    decides: 'model',
    reason: 'how many steps a run takes is up to the model',
  },
  {
    free: 'listRunSteps.page.order-*',
    decides: 'model',
    reason: 'how many steps a run takes is up to the model',
  },
  {
    free: 'listRunSteps.page.reverse',
    decides: 'model',
    reason: 'how many steps a run takes is up to the model',
  },
  {
    free: 'thread.run.step:#cancelled-at-set',
    decides: 'service',
    reason: 'no request cancels a step; whether a run over its budget does is up to the service',
  },
];
