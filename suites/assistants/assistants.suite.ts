import { type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { listScenarios } from '../generate/list-scenarios.ts';
import { createdResource } from '../generate/resources.ts';
import type { JsonObject } from '../vocabulary/types.ts';

import {
  type AssistantForm,
  assistantFunction,
  createSampleAssistant,
  OTHER_ROLES,
  offeredToolResources,
  otherModel,
  uploadAssistantFiles,
} from './samples.ts';

const betaAssistant = createdResource('assistants-v2');
const legacyAssistant = createdResource('assistants-v1');

const forms: readonly AssistantForm[] = ['v2', 'v1'];

export const listPaging = forms.flatMap((variant) =>
  listScenarios({
    operation: 'listAssistants',
    variant,
    roles: ['assistant'],
    element: (context, _, i) => createSampleAssistant(context, variant, { name: `${context.tag} ${i}` }),
  }),
);

export const betaLifecycle = lifecycleScenario({
  resource: betaAssistant,
  roles: ['assistant'],
  bodies: async (context) => [
    bareAssistant(context),
    { ...full(context, 'file_search'), tool_resources: await offeredToolResources(context) },
  ],
  modifications: async (context) => [
    ...changes(context, 'file_search'),
    { tool_resources: await offeredToolResources(context) },
    { tool_resources: { code_interpreter: { file_ids: [] } } },
  ],
});

export const legacyLifecycle = lifecycleScenario({
  resource: legacyAssistant,
  roles: ['assistant'],
  bodies: async (context) => [
    bareAssistant(context),
    { ...full(context, 'retrieval'), file_ids: [...(await uploadAssistantFiles(context, 3))] },
  ],
  modifications: async (context) => {
    const [one = '', two = ''] = await uploadAssistantFiles(context, 2);
    return [
      ...changes(context, 'retrieval'),
      { file_ids: [one, two] },
      { file_ids: [two] },
      { file_ids: [] },
    ];
  },
});

export const assistantsV1FilesByAgeScenario = scenario({
  name: 'assistants-v1.files-by-age',
  operations: ['createAssistant', 'retrieveAssistant'],
  roles: ['assistant'],
  run: async (context) => {
    const path = { assistant_id: await createSampleAssistant(context, 'v1') };
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) {
      if (i > 0) await context.nextSecond();
      const [file_id = ''] = await uploadAssistantFiles(context, 1);
      await context.need('createAssistantFile', { path, body: { file_id } });
      ids.unshift(file_id);
    }
    await context.call('retrieveAssistant', { path, variant: 'v1' });
    await context.call('modifyAssistant', { path, variant: 'v1', body: { name: context.tag } });
    await createSampleAssistant(context, 'v1', { file_ids: ids });
  },
});

export const otherModels = forms.map((variant) =>
  scenario({
    name: `assistants-${variant}.other-model`,
    operations: ['createAssistant', 'modifyAssistant', 'retrieveAssistant'],
    roles: ['assistant', ...OTHER_ROLES],
    run: async (context) => {
      const model = otherModel(context);
      if (model === null) return;
      const path = { assistant_id: await createSampleAssistant(context, variant) };
      await context.call('modifyAssistant', { path, variant, body: { model } });
      await context.call('retrieveAssistant', { path, variant });
      await context.call('createAssistant', { variant, body: { model } });
    },
  }),
);

export const unspecified = forms.map((variant) =>
  scenario({
    name: `assistants-${variant}.open-points`,
    operations: ['createAssistant', 'retrieveAssistant'],
    roles: ['assistant'],
    run: (context) => askOpenPoints(context, variant),
  }),
);

const BEYOND_TEN = 11;

async function askOpenPoints(context: ScenarioContext, variant: AssistantForm): Promise<void> {
  const model = context.model('assistant');
  const tools = [{ type: 'function', function: { name: 'get_time' } }];
  await context.call('createAssistant', { variant, body: { model, tools } });
  await context.call('createAssistant', { variant, body: { model, name: null, temperature: null } });
  const twice = [{ type: 'code_interpreter' }, { type: 'code_interpreter' }];
  await context.call('createAssistant', { variant, body: { model, tools: twice } });
  const files = await uploadAssistantFiles(context, variant === 'v2' ? BEYOND_TEN : 1);
  const [file = ''] = files;
  // Only the legacy form limits the number of files.
  if (variant === 'v2') {
    const tool_resources = { code_interpreter: { file_ids: [...files] } };
    await context.call('createAssistant', {
      variant,
      body: { model, tools: [{ type: 'code_interpreter' }], tool_resources },
    });
  }
  const foreign =
    variant === 'v2' ? { file_ids: [file] } : { tool_resources: { code_interpreter: { file_ids: [file] } } };
  await context.call('createAssistant', { variant, body: { model, ...foreign } });
  const path = { assistant_id: await createSampleAssistant(context, variant) };
  await context.call('retrieveAssistant', { path, variant: 'none' });
}

function bareAssistant(context: ScenarioContext): JsonObject {
  return { model: context.model('assistant') };
}

function full(context: ScenarioContext, search: 'file_search' | 'retrieval'): JsonObject {
  return {
    model: context.model('assistant'),
    name: `Assistant <${context.tag}> & Söhne, 你好`,
    description: 'Made to see whether it is kept: größer, 🙂.',
    instructions: 'Say as little as you can.\r\n\tNo <b>more</b> &amp; no "less", 你好.',
    tools: [{ type: 'code_interpreter' }, { type: search }, assistantFunction('weather')],
    metadata: { made_by: context.tag, Purpose: 'ein Blick, 一瞥, 🎉, e\u0301' },
    temperature: 0.5,
    top_p: 0.75,
    response_format: { type: 'json_object' },
  };
}

function changes(context: ScenarioContext, search: 'file_search' | 'retrieval'): readonly JsonObject[] {
  return [
    {},
    { name: `Renamed by ${context.tag}` },
    { description: 'Described anew.' },
    { instructions: 'Say nothing.' },
    { tools: [{ type: search }] },
    { metadata: { made_by: context.tag, Purpose: 'another look' } },
    { metadata: { made_by: context.tag } },
    { temperature: 1.5 },
    { top_p: 0.25 },
    { response_format: 'auto' },
    { model: context.model('assistant'), name: null, description: null, instructions: null, tools: [] },
  ];
}
