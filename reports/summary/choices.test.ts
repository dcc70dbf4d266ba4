import { expect, onTestFinished, test } from 'vitest';
import { useExtensions } from '../../schemas/index.ts';
import type { Report } from '../report.ts';
import { changedChoices } from './choices.ts';

test('the command that explains a changed choice loads the extensions in effect', () => {
  onTestFinished(() => useExtensions([]));
  useExtensions([{ file: 'our choir.ts' } as never]); // as: the command needs only the file
  const choices = [{ id: 'choir.tempo', taken: ['fast'], before: 'slow' }];
  expect(changedChoices({ choices } as unknown as Report)).toEqual([
    `changed since the baseline: choir.tempo is "fast", was "slow"; npx assay explain choir.tempo --extension 'our choir.ts' says how to pin it`,
  ]); // as: parts of a report
});
