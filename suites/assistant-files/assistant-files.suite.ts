import { scenario } from '../../drive/scenario.ts';
import { assistant, files } from '../assistants/samples.ts';
import { uploaded } from '../files/samples.ts';
import { authScenarios } from '../generate/auth.ts';
import { listScenarios } from '../generate/lists/scenarios.ts';
import { misfit } from '../generate/misfits.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { assistantFile } from './resources.ts';
import { attached, owner } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

export const lists = listScenarios({
  operation: 'listAssistantFiles',
  roles: ['assistant'],
  owner,
  element: attached,
});

export const life = lifeScenario({
  resource: assistantFile,
  roles: ['assistant'],
  owner,
  bodies: async (stage) => [
    { file_id: await uploaded(stage, 'assistants') },
    { file_id: await uploaded(stage, 'assistants') },
  ],
});

/** How files come and go by the assistant itself: attached at its creation, left out by a modification, detached. */
export const ties = scenario({
  name: 'assistant-files.ties',
  family: 'assistant-files',
  operations: ['createAssistantFile', 'listAssistantFiles', 'retrieveAssistantFile', 'deleteAssistantFile'],
  shows: [
    'assistant-files.create.in-file-ids',
    'assistant-files.create.is-the-file',
    'assistant-files.create.needs-file',
    'assistant-files.create.needs-purpose',
    'assistant-files.delete.leaves-file-ids',
    'assistant-files.modify.left-out-is-detached',
    'assistant-files.list.as-file-ids',
  ],
  cost: ['free'],
  roles: ['assistant'],
  run: async (stage) => {
    const [first = '', second = '', third = ''] = await files(stage, 3);
    const path = { assistant_id: await assistant(stage, 'v1', { file_ids: [first, second] }) };
    const look = async () => {
      await stage.call('retrieveAssistant', { path, variant: 'v1' });
      await stage.call('listAssistantFiles', { path });
    };
    await look();
    await stage.call('createAssistantFile', { path, body: { file_id: third } });
    await look();
    await stage.call('modifyAssistant', { path, variant: 'v1', body: { file_ids: [second, third] } });
    await stage.call('retrieveAssistantFile', { path: { ...path, file_id: first } });
    await stage.call('retrieveAssistantFile', { path: { ...path, file_id: second } });
    await look();
    await stage.call('deleteAssistantFile', { path: { ...path, file_id: second } });
    await look();
    for (const purpose of ['fine-tune', 'batch'] as const) {
      const file_id = await uploaded(stage, purpose);
      await stage.call('createAssistantFile', { path, body: { file_id } });
    }
    const body = { file_id: stage.unknownId('file-') };
    await stage.call('createAssistantFile', {
      ...misfit('createAssistantFile', 'file_id', 'unknown'),
      path,
      body,
    });
  },
});

/** As many files as an assistant takes, and one more. */
export const full = scenario({
  name: 'assistant-files.full',
  family: 'assistant-files',
  operations: ['createAssistantFile'],
  shows: ['assistant-files.create.at-most-20'],
  cost: ['free'],
  roles: ['assistant'],
  run: async (stage) => {
    const path = { assistant_id: await assistant(stage, 'v1') };
    const [further = '', ...fitting] = await files(stage, 21);
    for (const file_id of fitting) await stage.need('createAssistantFile', { path, body: { file_id } });
    await stage.call('retrieveAssistant', { path, variant: 'v1' });
    await stage.call('createAssistantFile', { path, body: { file_id: further } });
  },
});
