import { authScenarios } from '../generate/auth.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { assistant, type Form } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const forms: readonly Form[] = ['v2', 'v1'];

export const lists = forms.flatMap((variant) =>
  listScenarios({
    operation: 'listAssistants',
    variant,
    roles: ['assistant'],
    element: (stage, _, i) => assistant(stage, variant, { name: `${stage.tag} ${i}` }),
  }),
);
