// The support of fields in the reports of services that refuse some of them.
import { expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { startAnsweringProxy } from './testing/answering-proxy.ts';
import { prepareSupportRuns } from './testing/support-in-reports.ts';

const { runForSupport } = prepareSupportRuns();

test('a field that the refusal of another field hides is not called supported', async () => {
  const reference = await startReference({ fault: 'ignore:createChatCompletion.stop' });
  const refused = /"seed":\s*\d|"type":\s*"json_object"/;
  const service = await startAnsweringProxy(reference.url.replace(/\/v1$/, ''), ({ body }) =>
    refused.test(body) ? { status: 400, body: '{"error":{"message":"unsupported"}}' } : null,
  );
  const rows = await runForSupport('refusing', '--base-url', service.url, '--model', 'chat=chat-large');
  await Promise.all([service.close(), reference.close()]);
  const findRow = (field: string) => rows.get(`createChatCompletion ${field}`);
  expect(findRow('seed')).toMatchObject({ support: 'refused', why: expect.stringContaining('refuses seed') });
  expect(findRow('response_format')).toMatchObject({ support: 'refused' });
  expect(findRow('stop')?.support).toMatch(/^(?:ignored|other)$/);
  // Some of the refused requests ask for several choices.
  expect(findRow('n')).toMatchObject({
    support: 'other',
    why: expect.stringContaining('nothing contradicts'),
  });
  expect(findRow('tools')).toMatchObject({ support: 'supported' });
});

test('if a service refuses n > 1, n is not supported and no other field is affected', async () => {
  const service = await startReference({ fault: 'model-without-n' });
  const rows = await runForSupport('without-n', '--base-url', service.url, '--model', 'chat=chat-large');
  await service.close();
  const findRow = (field: string) => rows.get(`createChatCompletion ${field}`);
  expect(findRow('n')).toMatchObject({
    support: 'other',
    why: expect.stringMatching(/^accepted in some forms, refused in others: refuses n > 1: \d+ of \d+ /),
    by: ['createChatCompletion:accepts#body.n>1'],
  });
  const others = ['max_tokens', 'stop', 'response_format', 'tool_choice'];
  expect(others.map((field) => findRow(field)?.support)).toEqual(others.map(() => 'supported'));
});
