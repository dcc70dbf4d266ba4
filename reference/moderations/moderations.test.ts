import { expect, it } from 'vitest';
import { serveReference } from '../service.ts';
import { createPlainClient } from '../testing/plain-client.ts';

it('terms match at the beginning of a word, in any case', async () => {
  const reference = await serveReference();
  const input = ['Establish whatever skill', 'They were KILLED', 'I want to kill myself'];
  const { json } = await createPlainClient(reference.url)('POST', '/moderations', { input });
  await reference.close();
  expect(json['results']).toMatchObject([{ flagged: false }, { flagged: true }, { flagged: true }]);
});
