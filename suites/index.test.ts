import { expect, test } from 'vitest';
import { rulesOf } from '../judge/catalogue.ts';
import { catalogue } from './index.ts';

test('the catalogue finds everything by file name, and no two have one id', async () => {
  const all = await catalogue();
  const rules = rulesOf(all);
  for (const id of ['file:bytes#type', 'createFile:body.purpose#enum.rejected', 'files.content.as-sent']) {
    expect(rules.has(id)).toBe(true);
  }
  const ids = [...all.choices, ...all.exclusions].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => rules.has(id))).toEqual([]);
});
