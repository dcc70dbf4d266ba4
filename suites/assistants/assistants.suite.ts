import { type Stage, scenario } from '../../drive/scenario.ts';
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

/** A file that is older than another by its upload and by its attachment. */
export const filesByAge = scenario({
  name: 'assistants-v1.files-by-age',
  family: 'assistants-v1',
  operations: ['createAssistant', 'retrieveAssistant'],
  shows: ['assistants-v1.object.file-ids-by-age'],
  cost: ['free'],
  roles: ['assistant'],
  run: async (stage) => {
    const path = { assistant_id: await assistant(stage, 'v1') };
    for (let i = 0; i < 2; i++) {
      if (i > 0) await stage.nextSecond();
      const [file_id = ''] = await files(stage, 1);
      await stage.need('createAssistantFile', { path, body: { file_id } });
    }
    await stage.call('retrieveAssistant', { path, variant: 'v1' });
    await stage.call('modifyAssistant', { path, variant: 'v1', body: { name: stage.tag } });
  },
});

/** What each form makes of a field of the other, of tools that say little, and of a request without a form. */
export const openPoints = forms.map((variant) =>
  scenario({
    name: `assistants-${variant}.open-points`,
    family: `assistants-${variant}`,
    operations: ['createAssistant', 'retrieveAssistant'],
    shows: [
      'assistants.sampling.*',
      'assistants.form.*',
      'assistants.function.*',
      'assistants.request.null',
      variant === 'v2' ? 'assistants.resources.unset' : 'assistants.v1.omitted-settings',
    ],
    cost: ['free'],
    roles: ['assistant'],
    run: async (stage) => {
      const model = stage.model('assistant');
      const tools = [{ type: 'function', function: { name: 'get_time' } }];
      await stage.call('createAssistant', { variant, body: { model, tools } });
      await stage.call('createAssistant', { variant, body: { model, name: null, temperature: null } });
      const [file = ''] = await files(stage, 1);
      const foreign =
        variant === 'v2'
          ? { file_ids: [file] }
          : { tool_resources: { code_interpreter: { file_ids: [file] } } };
      await stage.call('createAssistant', { variant, body: { model, ...foreign } });
      const path = { assistant_id: await assistant(stage, variant) };
      await stage.call('retrieveAssistant', { path, variant: 'none' });
    },
  }),
);

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
    { metadata: { made_by: stage.tag } },
    { temperature: 1.5 },
    { top_p: 0.25 },
    { response_format: 'auto' },
    { model: stage.model('assistant'), name: null, description: null, instructions: null, tools: [] },
  ];
}
