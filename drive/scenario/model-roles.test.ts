import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MODEL_ROLES } from './model-roles.ts';

test('the page about runs lists the roles of models', () => {
  const page = readFileSync(new URL('../../docs/run.md', import.meta.url), 'utf8');
  const [, listed = ''] = /The roles:\s+([^.]+)\./u.exec(page) ?? [];
  expect([...listed.matchAll(/`([^`]+)`/gu)].map(([, role]) => role)).toEqual([...MODEL_ROLES]);
});
