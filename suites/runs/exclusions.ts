import type { FreeEvidence } from '../../judge/missing-evidence/expected-evidence.ts';
import type { InfeasibleRequirement } from '../../judge/requirements/catalogue.ts';
import type { Exclusion } from '../../judge/requirements/requirement.ts';

const RUNS = '1 Runs';

/** Sentences about runs that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'runs.budget.best-effort',
    spec: RUNS,
    says: 'The budgets of tokens are kept as well as can be, over all turns.',
    reason:
      'As well as can be does not state a bound; that a run beyond its budget does not complete is judged.',
  },
  {
    id: 'runs.truncation.effect',
    spec: RUNS,
    says: 'The truncation strategy decides which messages the model reads.',
    reason: 'The input of a model is not visible from outside.',
  },
  {
    id: 'runs.instructions.effect',
    spec: RUNS,
    says: 'A model follows the instructions of its run, the additional ones last.',
    reason:
      'The effect of instructions on a model is its own choice; the instructions that the run reports are judged.',
  },
  {
    id: 'runs.sampling.effect',
    spec: RUNS,
    says: 'Temperature and top_p of a run change how tokens are drawn.',
    reason: 'A distribution is not seen in a few messages.',
  },
  {
    id: 'runs.tools.effect',
    spec: '1 What the service does',
    says: 'Built-in tools are carried out: code is run, stores are searched.',
    reason: 'The form of such calls is not shown, nor what a model makes of their results.',
  },
  {
    id: 'runs.endpoints.not-shown',
    spec: RUNS,
    says: 'Runs are listed, retrieved, modified and cancelled, and take the outputs of tools.',
    reason: 'The endpoints for it are not shown, so nothing that they answer can be wrong.',
  },
  {
    id: 'runs.stream.beginning-of-work',
    spec: '1 Run',
    says: 'A run goes from queued to in_progress when processing begins.',
    reason: 'The moment is not seen from outside; the order of the events is judged.',
  },
];

/** Effects that no request can cause in a response of a stated form. */
export const infeasible: readonly InfeasibleRequirement[] = [
  {
    id: 'thread.run:#failed-at-set',
    reason: 'no request makes a run fail, and no event of that name is stated',
  },
  {
    id: 'thread.run:#last-error-set',
    reason:
      'no request makes a run fail; a separate requirement judges failed runs in events without a stated name',
  },
  { id: 'runs.failed.tells-why', reason: 'no request makes a run fail' },
  { id: 'thread.run:#cancelled-at-set', reason: 'the endpoint that cancels a run is not shown' },
  {
    id: 'thread.run:#incomplete-details-set',
    reason:
      'no endpoint and no event with a stated name shows an incomplete run; runs.incomplete-details.set judges the others',
  },
];

/** Requirements that a conforming target may give no evidence for. */
export const freeEvidence: readonly FreeEvidence[] = [
  {
    free: 'runs.pair.same-text',
    decides: 'model',
    reason: 'whether a model repeats itself is up to the model',
  },
  {
    free: 'runs.message.incomplete-at-set',
    decides: 'service',
    reason: 'whether a run over its budget leaves a message behind is up to the service',
  },
  {
    free: 'thread.message:#incomplete-at-set',
    decides: 'service',
    reason: 'whether a run over its budget leaves a message behind is up to the service',
  },
];
