import type { Stage } from '../../drive/scenario.ts';
import { authScenarios } from '../generate/auth.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { beta, legacy } from './resources.ts';
import { assistant, type Fields, type Form, files, functionTool, resources } from './samples.ts';

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

const nested = ['metadata:*', 'assistant.response_format:*', 'function:*'];

/** From the barest assistant, and from one of which everything is said, to each field changed alone. */
export const betaLife = lifeScenario({
  resource: beta,
  shows: [...nested, 'tool.v2:*', 'tool_resources:*'],
  roles: ['assistant'],
  bodies: async (stage) => [
    bare(stage),
    { ...full(stage, 'file_search'), tool_resources: await resources(stage) },
  ],
  modifications: async (stage) => [
    ...changes(stage, 'file_search'),
    { tool_resources: await resources(stage) },
    { tool_resources: { code_interpreter: { file_ids: [] } } },
  ],
});

export const legacyLife = lifeScenario({
  resource: legacy,
  shows: [...nested, 'tool.v1:*'],
  roles: ['assistant'],
  bodies: async (stage) => [
    bare(stage),
    { ...full(stage, 'retrieval'), file_ids: [...(await files(stage, 3))] },
  ],
  modifications: async (stage) => {
    const [one = '', two = ''] = await files(stage, 2);
    return [...changes(stage, 'retrieval'), { file_ids: [one, two] }, { file_ids: [two] }, { file_ids: [] }];
  },
});

function bare(stage: Stage): Fields {
  return { model: stage.model('assistant') };
}

function full(stage: Stage, search: 'file_search' | 'retrieval'): Fields {
  return {
    model: stage.model('assistant'),
    name: `Assistant of ${stage.tag}`,
    description: 'Made to see whether it is kept.',
    instructions: 'Say as little as you can.',
    tools: [{ type: 'code_interpreter' }, { type: search }, functionTool('weather')],
    metadata: { made_by: stage.tag, purpose: 'a look' },
    temperature: 0.5,
    top_p: 0.75,
    response_format: { type: 'json_object' },
  };
}

/** Each field alone, so that what else changes shows; two at once; and nothing at all. */
function changes(stage: Stage, search: 'file_search' | 'retrieval'): readonly Fields[] {
  return [
    {},
    { name: `Renamed by ${stage.tag}` },
    { description: 'Described anew.' },
    { instructions: 'Say nothing.' },
    { tools: [{ type: search }] },
    { metadata: { made_by: stage.tag, purpose: 'another look' } },
    { temperature: 1.5 },
    { top_p: 0.25 },
    { response_format: 'auto' },
    { model: stage.model('assistant'), name: null, description: null, instructions: null, tools: [] },
  ];
}
