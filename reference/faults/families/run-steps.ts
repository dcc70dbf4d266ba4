import { changeResponse, envelopeElements, setAtPointer, setInResponse } from '../../deviations/changes.ts';
import type { Fault } from '../../deviations/hooks.ts';
import { listFaults } from '../lists.ts';

export const faults: readonly Fault[] = [
  {
    id: 'run-steps-usage-null',
    says: 'completed steps lack usage',
    requirement: 'thread.run.step:#usage-when-completed',
    on: ['listRunSteps', 'retrieveRunStep'],
    does: changeResponse((answer) =>
      setAtPointer(setAtPointer(answer, '/data/*/usage', null), '/usage', (old) =>
        old === undefined ? old : null,
      ),
    ),
  },
  {
    id: 'run-steps-of-another-run',
    says: 'steps have the id of another run',
    requirement: 'run-steps.owners.of-path',
    on: ['retrieveRunStep'],
    does: setInResponse('/run_id', 'run_another'),
  },
  {
    id: 'run-steps-last-not-listed',
    says: 'lists lack the last of several steps',
    requirement: 'run-steps.list.all-of-stream',
    on: ['listRunSteps'],
    does: changeResponse((answer) => {
      const [_, ...others] = envelopeElements(answer);
      return others.length === 0 ? answer : setAtPointer(answer, '/data', others);
    }),
  },
  {
    id: 'run-steps-state-goes-back',
    says: 'completed steps are retrieved as in_progress',
    requirement: 'run-steps.states.path',
    on: ['retrieveRunStep'],
    does: setInResponse('/status', 'in_progress'),
  },
  {
    id: 'run-steps-metadata-of-run',
    says: 'retrieved steps have metadata that their stream did not show',
    requirement: 'run-steps.same.metadata',
    on: ['retrieveRunStep'],
    does: setInResponse('/metadata', { source: 'run' }),
  },
  ...listFaults('run-steps', 'listRunSteps', ['after', 'default-order']),
];
