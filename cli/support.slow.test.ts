// The support of fields in reports of real runs, in all formats, and of several services side by side.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answeringProxy } from './testing/answering-proxy.ts';
import { runAssay, startServing } from './testing/run-assay.ts';

interface Row {
  readonly operation: string;
  readonly field: string;
  readonly support: string;
  readonly why: string | null;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-support-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The support of the fields of chat, after the scenarios that show what ignores them. */
async function supportOf(name: string, ...flags: readonly string[]): Promise<ReadonlyMap<string, Row>> {
  const dir = join(folder, name);
  await runAssay(['run', '--claim', 'chat,threads', '--report', 'support', '--report-dir', dir, ...flags]);
  const { fields } = JSON.parse(readFileSync(join(dir, 'support.json'), 'utf8')) as { fields: Row[] }; // as: written by the command
  return new Map(fields.map((row) => [`${row.operation} ${row.field}`, row]));
}

describe('of a conforming service, claimed for chat and threads', () => {
  let rows: ReadonlyMap<string, Row>;
  beforeAll(async () => {
    rows = await supportOf('reference');
  });
  const of = (field: string) => rows.get(`createChatCompletion ${field}`)?.support;

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
    expect(of('stop')).toBe('supported');
    for (const name of ['createThread metadata', 'createThread tool_resources', 'modifyThread metadata'])
      expect(rows.get(name)?.support).toBe('supported');
  });

  test('every format has the same rows', () => {
    const text = (name: string) => readFileSync(join(folder, 'reference', name), 'utf8');
    expect(text('support.md')).toContain('| createChatCompletion | stop | supported |');
    expect(text('support.html')).toContain('<td>stop</td><td>supported</td>');
    // One page that loads nothing.
    expect(text('support.html')).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1)/);
  });

  test('nothing is known of what is not claimed', () => {
    const claimed = /^(?:createChatCompletion|\w+Thread)$/;
    const elsewhere = [...rows.values()].filter(({ operation }) => !claimed.test(operation));
    expect(elsewhere.length).toBeGreaterThan(200);
    expect(new Set(elsewhere.map(({ support }) => support))).toEqual(new Set(['not shown']));
  });
});

/** The support of a service with faults of the reference, behind a proxy that answers some requests itself. */
async function supportWith(name: string, faults: readonly string[], refused: RegExp) {
  const serving = await startServing(['serve', ...faults.flatMap((fault) => ['--fault', fault])]);
  const refusing = await answeringProxy(serving.url.replace(/\/v1$/, ''), ({ body }) =>
    refused.test(body) ? { status: 400, body: '{"error":{"message":"unsupported"}}' } : null,
  );
  try {
    return await supportOf(name, '--base-url', refusing.url, '--model', 'chat=chat-large');
  } finally {
    await refusing.close();
    await serving.stop();
  }
}

const NOTHING = /^(?!)/;

test('of a service that ignores fields, with what shows it, and next to the other', async () => {
  const ignored = ['stop', 'logprobs', 'max_tokens'];
  const rows = await supportWith(
    'ignoring',
    ['createThread.metadata', ...ignored.map((field) => `createChatCompletion.${field}`)].map(
      (field) => `ignore:${field}`,
    ),
    NOTHING,
  );
  const of = (field: string) => rows.get(`createChatCompletion ${field}`);
  expect(of('stop')).toMatchObject({ support: 'ignored', by: ['chat.reply.nothing-after-stop'] });
  expect(of('logprobs')).toMatchObject({ support: 'ignored', by: ['chat.reply.logprobs-when-asked'] });
  expect(of('max_tokens')).toMatchObject({ support: 'ignored', by: ['chat.reply.tokens-bounded'] });
  expect(of('n')).toMatchObject({ support: 'supported' });
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

test('of a service that refuses fields; what a refusal hides is not called supported', async () => {
  const faults = ['ignore:createChatCompletion.stop'];
  const rows = await supportWith('refusing', faults, /"seed":\s*\d|"type":\s*"json_object"/);
  const of = (field: string) => rows.get(`createChatCompletion ${field}`);
  expect(of('seed')).toMatchObject({ support: 'refused', why: expect.stringContaining('refuses seed') });
  expect(of('response_format')).toMatchObject({ support: 'refused' });
  expect(of('stop')?.support).toMatch(/^(?:ignored|other)$/);
  // Some of the refused requests ask for several choices.
  expect(of('n')).toMatchObject({ support: 'other', why: expect.stringContaining('nothing contradicts') });
  expect(of('tools')).toMatchObject({ support: 'supported' });
});

test('of a service that refuses n > 1: n is not supported, and no other field suffers', async () => {
  const rows = await supportWith('without-n', ['model-without-n'], NOTHING);
  const of = (field: string) => rows.get(`createChatCompletion ${field}`);
  expect(of('n')).toMatchObject({
    support: 'other',
    why: expect.stringMatching(/^accepted in some forms, refused in others: refuses n > 1: \d+ of \d+ /),
    by: ['createChatCompletion:accepts#body.n>1'],
  });
  const others = ['max_tokens', 'stop', 'response_format', 'tool_choice'];
  expect(others.map((field) => of(field)?.support)).toEqual(others.map(() => 'supported'));
});
