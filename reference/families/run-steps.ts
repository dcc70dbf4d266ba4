import type { Routes } from '../call.ts';
import { envelope, page } from '../list.ts';
import { Refusal } from '../refusal.ts';
import { serves } from '../route.ts';
import { needRun, watch } from '../runs/record.ts';

// The specification has no endpoint to retrieve a run, so looking at its steps moves it too.
export const routes: Routes = (service) => [
  serves('listRunSteps', ({ path, query }) => {
    const record = needRun(service, path);
    watch(record);
    return envelope(page(record.work.steps, query), (step) => step);
  }),
  serves('retrieveRunStep', ({ path }) => {
    const record = needRun(service, path);
    watch(record);
    const step = record.work.steps.get(path['step_id'] ?? '');
    if (step === undefined) throw Refusal.missing('step in this run', path['step_id'] ?? '');
    return step;
  }),
];
