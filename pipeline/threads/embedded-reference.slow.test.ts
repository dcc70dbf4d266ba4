import { expect, test } from 'vitest';
import { startEmbeddedReference } from './embedded-reference.ts';

test('closing a reference for a second time does not close a later one', async () => {
  const earlier = await startEmbeddedReference({});
  await earlier.close();
  const { url, close } = await startEmbeddedReference({});
  await earlier.close();
  expect((await fetch(`${url}/models`)).status).toBe(200);
  await close();
});
