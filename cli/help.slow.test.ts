import { expect, test } from 'vitest';
import { COMMAND_NAMES } from './program.ts';
import { runAssay } from './testing/run-assay.ts';

// The complete help is a snapshot, so that every change of an option or its text shows in review.
test.for([[], ...COMMAND_NAMES.map((name) => [name])])('the help of assay %s', async (words) => {
  const { code, stdout, stderr } = await runAssay([...words, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatchSnapshot();
});
