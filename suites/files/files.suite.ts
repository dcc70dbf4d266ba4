import { scenario } from '../../drive/scenario.ts';
import { authScenarios } from '../generate/auth.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { fileFor, largeFile, purposes, uploaded } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

const answers = ['createFile', 'listFiles', 'retrieveFile', 'deleteFile'].map((id) => `${id}:answer#*`);

/** A file's whole life, once for each purpose: what is uploaded is listed, found and given back, until it is deleted. */
export const lives = purposes.map((purpose) =>
  scenario({
    name: `files.life.${purpose}`,
    family: 'files',
    operations: ['createFile', 'listFiles', 'retrieveFile', 'retrieveFileContent', 'deleteFile'],
    shows: ['file:*', 'file.list:*', 'file.deleted:*', 'files.*.*', ...answers],
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

/**
 * The largest file, and one byte more than it may have, however a megabyte is counted. It is poured, never held: half a
 * gigabyte of training lines.
 */
export const large = scenario({
  name: 'files.large',
  family: 'files',
  operations: ['createFile'],
  shows: ['createFile:file.file#maxBytes.*'],
  cost: ['large'],
  roles: [],
  run: async (stage) => {
    const [most, beyond] = [512_000_000, 512 * 1024 * 1024 + 1];
    const probe = { pointer: 'file.file', keyword: 'maxBytes' };
    const valid = 'createFile:file.file#maxBytes.valid';
    const violation = 'createFile:file.file#maxBytes.violation';
    const purpose = { name: 'purpose', value: 'fine-tune' };
    const form = (bytes: number) => [purpose, largeFile(`${stage.tag}.jsonl`, bytes)];
    await stage.call('createFile', {
      form: form(most),
      probe: { ...probe, id: valid, side: 'valid', control: null },
    });
    await stage.call('createFile', {
      form: form(beyond),
      probe: { ...probe, id: violation, side: 'violation', control: valid },
    });
  },
});
