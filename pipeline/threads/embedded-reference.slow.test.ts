import { expect, test } from 'vitest';
import { startEmbeddedReference } from './embedded-reference.ts';

test('a reference starts after an earlier one was closed twice', async () => {
  const earlier = await startEmbeddedReference({});
  await earlier.close();
  await earlier.close();
  const { url, close } = await startEmbeddedReference({});
  expect((await fetch(`${url}/models`)).status).toBe(200);
  await close();
});
