import { afterEach, expect, test, vi } from 'vitest';
import { startUpstream } from '../../proxy/testing/upstream.ts';
import { withDisturbances } from './disturbing.ts';

afterEach(() => vi.restoreAllMocks());

test('an id that could control the terminal is printed in escaped form', async () => {
  let printed = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  let count = 0;
  const service = await startUpstream((request, response) => {
    request.resume();
    count += 1;
    response.end(`{"id":"\u009b2J${count}"}`);
  });
  const disturb = '[{"name":"reset","on":"POST /v1/threads"}]';
  const code = await withDisturbances(service, { disturb }, async ({ url }) => {
    const create = () => fetch(`${url}/threads`, { method: 'POST' });
    await create().catch(create);
    return 0;
  });
  await service.close();
  expect(code).toBe(1);
  expect(printed).toContain('the object exists twice, \\u009b2J1 and \\u009b2J2\n');
});
