import { needRun, pollRun } from '../runs/record.ts';
import { ApiError } from '../server/api-error.ts';
import type { Routes } from '../server/handler-request.ts';
import { listEnvelope, listPage } from '../server/list-page.ts';
import { serves } from '../server/route.ts';

/**
 * Routes of run steps (1 Run steps). The specification has no endpoint to retrieve a run, so listing or retrieving its steps
 * also advances it.
 */
export const routes: Routes = (service) => [
  // The page shows the state after the transition.
  serves('listRunSteps', ({ path, query }) => {
    const record = needRun(service, path);
    pollRun(record);
    return listEnvelope(listPage(record.work.steps, query), (step) => step);
  }),
  serves('retrieveRunStep', ({ path }) => {
    // The run is advanced before the step is looked up: the step may come into being now.
    const record = needRun(service, path);
    pollRun(record);
    const step = record.work.steps.get(path['step_id'] ?? '');
    if (step === undefined) throw ApiError.missing('step in this run', path['step_id'] ?? '');
    return step;
  }),
];
