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
