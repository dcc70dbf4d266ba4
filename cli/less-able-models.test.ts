import { expect, test } from 'vitest';
import { catalogue } from '../suites/index.ts';
import { verdictsWith } from './testing/faulty.ts';

const all = await catalogue();

test.each([
  ['model-without-tools', 'body.tools'],
  // No other format is ever asked for, so that the parameter explains as much as its value.
  ['model-without-json-mode', 'body.response_format'],
  ['model-without-images', 'body.messages[].content(array)[image_url]'],
  ['model-without-logprobs', 'body.logprobs=true'],
  ['model-without-n', 'body.n>1'],
])('%s is diagnosed as one cause', async (fault, feature) => {
  const verdicts = await verdictsWith(fault, 'createChatCompletion:accepts', all);
  const found = verdicts.find(({ id }) => id === 'createChatCompletion:accepts');
  expect(found?.verdict).toBe('fail');
  expect(found?.findings.map(({ at }) => at)).toEqual([`requests with ${feature}`]);
  expect(found?.findings[0]?.actual).toMatch(/^refuses .*: (\d+) of \1 requests with it, 0 of \d+ without$/);
});
