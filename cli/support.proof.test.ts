import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { startAnsweringProxy } from './testing/answering-proxy.ts';
import { readReportIn } from './testing/judged-reference.ts';
import { runAssay } from './testing/run-assay.ts';
import { prepareSupportRuns } from './testing/support-in-reports.ts';

const { folder, runForSupport } = prepareSupportRuns();

test('a field that the refusal of another field hides is not called supported', async () => {
  const reference = await startReference({ fault: 'ignore:createChatCompletion.stop' });
  const refused = /"seed":\s*\d|"type":\s*"json_object"/;
  const service = await startAnsweringProxy(reference.url, ({ body }) =>
    refused.test(body) ? { status: 400, body: '{"error":{"message":"unsupported"}}' } : null,
  );
  const rows = await runForSupport('refusing', '--base-url', service.url, '--model', 'chat=chat-large');
  await Promise.all([service.close(), reference.close()]);
  const findRow = (field: string) => rows.get(`createChatCompletion ${field}`);
  expect(findRow('seed')).toMatchObject({ support: 'refused', why: expect.stringContaining('refuses seed') });
  expect(findRow('response_format')).toMatchObject({ support: 'refused' });
  expect(findRow('stop')?.support).toMatch(/^(?:ignored|other)$/);
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

test('the table of a service that ignores fields shows the evidence, and can be compared with another', async () => {
  const ignored = ['stop', 'logprobs', 'max_tokens'];
  const faults = ['createThread.metadata', ...ignored.map((field) => `createChatCompletion.${field}`)];
  const service = await startReference({ fault: faults.map((field) => `ignore:${field}`).join(',') });
  const rows = await runForSupport('ignoring', '--base-url', service.url, '--model', 'chat=chat-large');
  await service.close();
  const findRow = (field: string) => rows.get(`createChatCompletion ${field}`);
  expect(findRow('stop')).toMatchObject({ support: 'ignored', by: ['chat.reply.nothing-after-stop'] });
  expect(findRow('logprobs')).toMatchObject({
    support: 'ignored',
    by: ['chat.reply.logprobs-when-asked'],
  });
  expect(findRow('max_tokens')).toMatchObject({ support: 'ignored', by: ['chat.reply.tokens-bounded'] });
  expect(findRow('n')).toMatchObject({ support: 'supported' });
  expect(rows.get('createThread metadata')).toMatchObject({
    support: 'ignored',
    by: ['threads.create.keeps-metadata'],
  });
  expect(rows.get('modifyThread metadata')).toMatchObject({ support: 'supported' });
  await runForSupport('reference');
  const reports = ['reference', 'ignoring'].map((name) => `${name}=${join(folder, name)}`);
  const { stdout } = await runAssay(['matrix', ...reports]);
  expect(stdout).toContain('| operation | field | reference | ignoring |');
  expect(stdout).toContain('| `createChatCompletion` | `stop` | supported | ignored |');
  expect(stdout).not.toContain('| `createSpeech` | `speed` |');
  const page = await runAssay(['matrix', ...reports, '--format', 'html']);
  expect(page.stdout).toMatch(/>stop<\/code><\/td><td[^>]*>supported<\/td><td[^>]*>ignored<\/td>/);
});

test('replies in which no stop sequence could occur do not show that stop is supported', async () => {
  const reference = await startReference({ fault: 'ignore:createChatCompletion.stop' });
  const service = await startAnsweringProxy(reference.url, ({ body }) => ({
    forward: body.replace('Count from 1 to 20, digits separated by commas, nothing else.', 'Say assay.'),
  }));
  const rows = await runForSupport('same-reply', '--base-url', service.url, '--model', 'chat=chat-large');
  await Promise.all([service.close(), reference.close()]);
  expect(rows.get('createChatCompletion stop')).toMatchObject({
    support: 'other',
    why: expect.stringContaining('nothing contradicts'),
  });
  const report = readReportIn(join(folder, 'same-reply'));
  expect(report.choices.find(({ id }) => id === 'chat.stop.kept')?.taken).toEqual([]);
  expect(report.requirements.find(({ id }) => id === 'chat.reply.nothing-after-stop')?.verdict).toBe('pass');
});

test('a wrong media type of streams and ignored list parameters show in the table', async () => {
  const ignored = ['listFiles.purpose', 'listVectorStores.limit', 'listVectorStores.order'];
  const fault = ignored.map((field) => `ignore:${field}`).join(',');
  const reference = await startReference({ fault });
  const service = await startAnsweringProxy(reference.url, ({ body }) => ({
    forward: body,
    streamType: 'application/json',
  }));
  const claim = ['--claim', 'createChatCompletion,files,vector-stores', '--model', 'chat=chat-large'];
  const rows = await runForSupport('mislabelling', '--base-url', service.url, ...claim);
  await Promise.all([service.close(), reference.close()]);
  expect(rows.get('createChatCompletion stream')).toMatchObject({
    support: 'other',
    why: 'accepted; createChatCompletion:stream#contentType fails',
  });
  expect(rows.get('createChatCompletion stream_options')).toMatchObject({ support: 'supported' });
  for (const name of [
    'listFiles query.purpose',
    'listVectorStores query.limit',
    'listVectorStores query.order',
  ])
    expect([name, rows.get(name)?.support]).toEqual([name, 'ignored']);
  // Pages in the wrong order begin at the wrong place, too.
  expect(rows.get('listVectorStores query.after')).toMatchObject({
    support: 'other',
    why: 'accepted; listVectorStores.page.after fails',
  });
});
