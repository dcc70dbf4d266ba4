import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countTokens } from '../model/tokens.ts';
import { readExamples } from './training-examples.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-examples-'));
});
afterAll(() => rm(directory, { recursive: true }));

const examples = ['one', 'one', 'one two three'].map((completion) =>
  JSON.stringify({ prompt: 'Count.', completion }),
);

it('the tokens of every training example are counted, even of equal ones', async () => {
  const path = join(directory, 'examples');
  await writeFile(path, examples.join('\n'));
  expect(await readExamples(path)).toEqual({
    count: 3,
    tokens: examples.map(countTokens).reduce((sum, one) => sum + one),
  });
});

it('the first invalid line of training examples is named', async () => {
  const path = join(directory, 'invalid-examples');
  await writeFile(path, [...examples, '{}', '{}'].join('\n'));
  expect(await readExamples(path)).toMatchObject({ line: 4 });
});
