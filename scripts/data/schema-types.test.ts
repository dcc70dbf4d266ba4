import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderTypes } from './schema-types.ts';

test('the committed types are those of the schemas', async () => {
  expect(readFileSync('schemas/types.d.ts', 'utf8')).toBe(await renderTypes());
});
