import { type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { createSampleAssistant, uploadAssistantFiles } from '../assistants/samples.ts';
import { uploadSample } from '../files/samples.ts';
import { invalidFileCall } from '../generate/invalid-files.ts';
import { lifecycleScenario } from '../generate/lifecycle.ts';
import { listScenarios } from '../generate/list-scenarios.ts';

import { createdResource } from '../generate/resources.ts';
import { attachFile, createOwner } from './samples.ts';

const assistantFile = createdResource('assistant-files');

export const listPaging = listScenarios({
  operation: 'listAssistantFiles',
  roles: ['assistant'],
  owner: createOwner,
  element: attachFile,
});

export const lifecycle = lifecycleScenario({
  resource: assistantFile,
  roles: ['assistant'],
  owner: createOwner,
  bodies: async (context) => [
    { file_id: await uploadSample(context, 'assistants') },
    { file_id: await uploadSample(context, 'assistants') },
  ],
});

export const attachments = scenario({
  name: 'assistant-files.ties',
  operations: ['createAssistantFile', 'listAssistantFiles', 'retrieveAssistantFile', 'deleteAssistantFile'],
  roles: ['assistant'],
  run: runAttachments,
});

async function runAttachments(context: ScenarioContext): Promise<void> {
  const [first = '', second = '', third = ''] = await uploadAssistantFiles(context, 3);
  const path = { assistant_id: await createSampleAssistant(context, 'v1', { file_ids: [first, second] }) };
  const look = async () => {
    await context.call('retrieveAssistant', { path, variant: 'v1' });
    await context.call('listAssistantFiles', { path });
  };
  await look();
  await context.call('createAssistantFile', { path, body: { file_id: third } });
  await look();
  await context.call('modifyAssistant', { path, variant: 'v1', body: { file_ids: [second, third] } });
  await context.call('retrieveAssistantFile', { path: { ...path, file_id: first } });
  await context.call('retrieveAssistantFile', { path: { ...path, file_id: second } });
  await look();
  await context.call('deleteAssistantFile', { path: { ...path, file_id: second } });
  await look();
  for (const purpose of ['fine-tune', 'batch'] as const) {
    const file_id = await uploadSample(context, purpose);
    await context.call('createAssistantFile', { path, body: { file_id } });
  }
  const body = { file_id: context.unknownId('file-') };
  await context.call('createAssistantFile', {
    ...invalidFileCall('createAssistantFile', 'file_id', 'unknown'),
    path,
    body,
  });
}

export const filesOfDeleted = scenario({
  name: 'assistant-files.of-deleted',
  operations: ['deleteAssistant', 'retrieveAssistantFile', 'deleteAssistantFile', 'createAssistant'],
  roles: ['assistant'],
  run: runFilesOfDeleted,
});

async function runFilesOfDeleted(context: ScenarioContext): Promise<void> {
  const [file_id = '', detached = ''] = await uploadAssistantFiles(context, 2);
  const assistant_id = await createSampleAssistant(context, 'v1', { file_ids: [file_id, detached] });
  const path = { assistant_id, file_id };
  await context.call('deleteAssistantFile', { path: { assistant_id, file_id: detached } });
  await context.call('retrieveFile', { path: { file_id: detached } });
  await context.call('createAssistant', {
    ...invalidFileCall('createAssistant', 'file_ids', 'unknown'),
    variant: 'v1',
    body: { model: context.model('assistant'), file_ids: [context.unknownId('file-')] },
  });
  await context.call('retrieveAssistantFile', { path });
  await context.call('deleteAssistant', { path: { assistant_id }, variant: 'v1' });
  await context.call('retrieveAssistantFile', { path });
}

export const betaForm = scenario({
  name: 'assistant-files.beta-form',
  operations: ['retrieveAssistantFile'],
  roles: ['assistant'],
  run: async (context) => {
    const [file_id = ''] = await uploadAssistantFiles(context, 1);
    const path = {
      assistant_id: await createSampleAssistant(context, 'v1', { file_ids: [file_id] }),
      file_id,
    };
    await context.call('retrieveAssistantFile', { path, variant: 'v2' });
  },
});

export const fullAssistant = scenario({
  name: 'assistant-files.full',
  operations: ['createAssistantFile'],
  roles: ['assistant'],
  run: async (context) => {
    const path = { assistant_id: await createSampleAssistant(context, 'v1') };
    const [further = '', ...fitting] = await uploadAssistantFiles(context, 21);
    for (const file_id of fitting) await context.need('createAssistantFile', { path, body: { file_id } });
    await context.call('retrieveAssistant', { path, variant: 'v1' });
    await context.call('createAssistantFile', { path, body: { file_id: further } });
  },
});
