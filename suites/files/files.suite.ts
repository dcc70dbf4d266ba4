import { scenario } from '../../drive/scenario.ts';
import { authScenarios } from '../generate/auth.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { fileFor, purposes, uploaded } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

/** A file's whole life, once for each purpose: what is uploaded is listed, found and given back, until it is deleted. */
export const lives = purposes.map((purpose) =>
  scenario({
    name: `files.life.${purpose}`,
    family: 'files',
    operations: ['createFile', 'listFiles', 'retrieveFile', 'retrieveFileContent', 'deleteFile'],
    shows: ['file:*', 'file.list:*', 'file.deleted:*', 'files.*.*', '*File*:answer#*'],
    cost: ['free'],
    roles: [],
    run: async (stage) => {
      const path = { file_id: await uploaded(stage, purpose) };
      await stage.call('retrieveFile', { path });
      await stage.call('listFiles');
      await stage.call('listFiles', { query: { purpose } });
      await stage.call('listFiles', { query: { purpose: purpose === 'batch' ? 'fine-tune' : 'batch' } });
      await stage.call('retrieveFileContent', { path });
      await stage.call('deleteFile', { path });
      await stage.call('retrieveFile', { path });
      await stage.call('retrieveFileContent', { path });
      await stage.call('deleteFile', { path });
      await stage.call('listFiles');
      await stage.call('listFiles', { query: { purpose } });
    },
  }),
);

/** Two files at once: neither gets in the way of the other, though they share a name. */
export const twins = scenario({
  name: 'files.twins',
  family: 'files',
  operations: ['createFile', 'retrieveFile', 'retrieveFileContent', 'listFiles', 'deleteFile'],
  shows: ['file:*', 'files.upload.id-unique', 'files.list.*', 'files.delete.gone-from-list'],
  cost: ['free'],
  roles: [],
  run: async (stage) => {
    const first = await uploaded(stage, 'fine-tune');
    const second = await uploaded(stage, 'fine-tune');
    await stage.call('listFiles');
    await stage.call('deleteFile', { path: { file_id: first } });
    await stage.call('retrieveFile', { path: { file_id: second } });
    await stage.call('retrieveFileContent', { path: { file_id: second } });
    await stage.call('listFiles', { query: { purpose: 'fine-tune' } });
  },
});

/** Whether a name that does not end in .jsonl is refused where lines are wanted. */
export const names = scenario({
  name: 'files.names',
  family: 'files',
  operations: ['createFile'],
  shows: ['files.upload.jsonl-only'],
  cost: ['free'],
  roles: [],
  run: async (stage) => {
    for (const purpose of ['fine-tune', 'batch'] as const) {
      const { file } = fileFor(purpose, stage.tag, 'any-model');
      const part = { name: 'file', file, filename: `${stage.tag}.txt`, type: 'text/plain' };
      await stage.call('createFile', { form: [{ name: 'purpose', value: purpose }, part] });
    }
  },
});
