import { expect, it } from 'vitest';
import { serveReference } from '../service.ts';
import { createPlainClient } from '../testing/plain-client.ts';

it('`function_call` is rejected unless it is null, `none`, `auto` or an object with a name', async () => {
  const { url, close } = await serveReference();
  try {
    const call = createPlainClient(url);
    const body = {
      model: 'chat-large',
      messages: [{ role: 'user', content: 'Hi' }],
      functions: [{ name: 'get_time' }],
    };
    const statusWith = async (function_call: unknown) =>
      (await call('POST', '/chat/completions', { ...body, function_call })).status;
    for (const accepted of [null, 'none', 'auto', { name: 'get_time' }])
      expect(await statusWith(accepted)).toBe(200);
    for (const rejected of ['', 'required', false, 0, {}, []]) expect(await statusWith(rejected)).toBe(400);
  } finally {
    await close();
  }
});
