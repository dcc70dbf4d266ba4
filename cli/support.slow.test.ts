// The support of fields in reports of real runs, in all formats, and of several services side by side.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { startAnsweringProxy } from './testing/answering-proxy.ts';
import { runAssay } from './testing/run-assay.ts';
import { prepareSupportRuns, type SupportRow } from './testing/support-in-reports.ts';

const { folder, runForSupport } = prepareSupportRuns();

describe('for a conforming service, claimed for chat and threads', () => {
  let rows: ReadonlyMap<string, SupportRow>;
  beforeAll(async () => {
    rows = await runForSupport('reference');
  });
  const supportFor = (field: string) => rows.get(`createChatCompletion ${field}`)?.support;

  test('fields whose effect was seen are supported, and no others', () => {
    const fields = [...rows.values()].filter(({ operation }) => operation === 'createChatCompletion');
    const by = (support: string) => fields.filter((row) => row.support === support).map(({ field }) => field);
    expect({ supported: by('supported'), other: by('other') }).toMatchInlineSnapshot(`
      {
        "other": [
          "messages",
          "frequency_penalty",
          "presence_penalty",
          "seed",
          "temperature",
          "top_p",
        ],
        "supported": [
          "model",
          "logit_bias",
          "logprobs",
          "top_logprobs",
          "max_tokens",
          "n",
          "response_format",
          "stop",
          "stream",
          "stream_options",
          "tools",
          "tool_choice",
        ],
      }
    `);
    expect(by('ignored').concat(by('refused'), by('not shown'))).toEqual([]);
    expect(supportFor('stop')).toBe('supported');
    for (const name of ['createThread metadata', 'createThread tool_resources', 'modifyThread metadata'])
      expect(rows.get(name)?.support).toBe('supported');
  });

  test('every format has the same rows', () => {
    const text = (name: string) => readFileSync(join(folder, 'reference', name), 'utf8');
    expect(text('support.md')).toContain('| createChatCompletion | stop | supported |');
    expect(text('support.html')).toContain('<td>stop</td><td>supported</td>');
    // The page is one file that loads nothing.
    expect(text('support.html')).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1)/);
  });

  test('the support of unclaimed operations is unknown', () => {
    const claimed = /^(?:createChatCompletion|\w+Thread)$/;
    const elsewhere = [...rows.values()].filter(({ operation }) => !claimed.test(operation));
    expect(elsewhere.length).toBeGreaterThan(200);
    expect(new Set(elsewhere.map(({ support }) => support))).toEqual(new Set(['not shown']));
  });
});

test('the table of a service that ignores fields shows the evidence, and can be compared with another', async () => {
  const ignored = ['stop', 'logprobs', 'max_tokens'];
  const faults = ['createThread.metadata', ...ignored.map((field) => `createChatCompletion.${field}`)];
  const service = await startReference({ fault: faults.map((field) => `ignore:${field}`).join(',') });
  const rows = await runForSupport('ignoring', '--base-url', service.url, '--model', 'chat=chat-large');
  await service.close();
  const supportFor = (field: string) => rows.get(`createChatCompletion ${field}`);
  expect(supportFor('stop')).toMatchObject({ support: 'ignored', by: ['chat.reply.nothing-after-stop'] });
  expect(supportFor('logprobs')).toMatchObject({
    support: 'ignored',
    by: ['chat.reply.logprobs-when-asked'],
  });
  expect(supportFor('max_tokens')).toMatchObject({ support: 'ignored', by: ['chat.reply.tokens-bounded'] });
  expect(supportFor('n')).toMatchObject({ support: 'supported' });
  expect(rows.get('createThread metadata')).toMatchObject({
    support: 'ignored',
    by: ['threads.create.keeps-metadata'],
  });
  expect(rows.get('modifyThread metadata')).toMatchObject({ support: 'supported' });
  const reports = ['reference', 'ignoring'].map((name) => `${name}=${join(folder, name)}`);
  const { stdout } = await runAssay(['matrix', ...reports]);
  expect(stdout).toContain('| operation | field | reference | ignoring |');
  expect(stdout).toContain('| `createChatCompletion` | `stop` | supported | ignored |');
  expect(stdout).not.toContain('| `createSpeech` | `speed` |');
  const page = await runAssay(['matrix', ...reports, '--format', 'html']);
  expect(page.stdout).toContain('<td>stop</td><td>supported</td><td>ignored</td>');
});

test('a wrong media type of streams and ignored list parameters show in the table', async () => {
  const ignored = ['listFiles.purpose', 'listVectorStores.limit', 'listVectorStores.order'];
  const fault = ignored.map((field) => `ignore:${field}`).join(',');
  const reference = await startReference({ fault });
  const service = await startAnsweringProxy(reference.url.replace(/\/v1$/, ''), ({ body }) => ({
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
